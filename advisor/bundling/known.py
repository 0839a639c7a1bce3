"""Words that may stay and stand in no rule: of systems, hardware, components, schedulers and
programs. None of them names anybody."""

from __future__ import annotations

SYSTEM = frozenset(
    """
    usr opt lib lib32 lib64 libexec bin sbin etc proc sys dev shm var run tmp share local
    include x86_64 x86 linux gnu aarch64 ppc64le mpi openmpi mpich intel oneapi compiler
    compilers mpirt mvapich2 cray pe hpcx ompi ucx slurm modules
    """.split()
)
"""Folders of which a path may be made to stay as it is."""

PROGRAMS = frozenset(
    """
    env numactl taskset time timeout nice chrt stdbuf perf valgrind bash sh python python3
    ompi_info mpichversion
    """.split()
)
"""What may stand around launchers: their names stay, whatever folder they are in, as those of
launchers do."""

FILES = frozenset(
    """
    openmpi-mca-params.conf prte-mca-params.conf pmix-mca-params.conf mca-params.conf
    openmpi-mca-params.ini libfabric.conf mvapich2.conf mvapich.conf ucx.conf impi.conf
    """.split()
)
"""Files that set variables of MPI libraries: their names stay as well."""

SCHEDULERS = frozenset(
    """
    SLURM_JOB_ID SLURM_NTASKS SLURM_NPROCS SLURM_CPUS_PER_TASK SLURM_NTASKS_PER_NODE
    SLURM_TASKS_PER_NODE SLURM_JOB_NUM_NODES SLURM_NNODES SLURM_DISTRIBUTION SLURM_CPU_BIND
    SLURM_CPU_BIND_TYPE SLURM_MEM_BIND SLURM_CPU_FREQ_REQ SLURM_THREADS_PER_CORE SLURM_HINT
    SLURM_JOB_CPUS_PER_NODE SLURM_MPI_TYPE SLURM_MEM_PER_NODE SLURM_MEM_PER_CPU
    SRUN_CPUS_PER_TASK PBS_JOBID PBS_NUM_NODES PBS_NUM_PPN PBS_NP NCPUS PALS_APID PALS_DEPTH
    PJM_JOBID PJM_NODE PJM_MPI_PROC PJM_PROC_BY_NODE LSB_JOBID LSB_DJOB_NUMPROC
    LSB_MAX_NUM_PROCESSORS LSB_BIND_CPU_LIST FLUX_JOB_ID FLUX_JOB_SIZE FLUX_JOB_NNODES JOB_ID
    NSLOTS NHOSTS PE OPENBLAS_NUM_THREADS MKL_NUM_THREADS OMPI_COMM_WORLD_LOCAL_SIZE
    MPI_LOCALNRANKS CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES
    HFI_UNIT
    """.split()
)
"""Variables of schedulers whose values say how a job lies on its hosts. The values of all others
are replaced."""

ARGUMENTS = frozenset(
    """
    -nk -npool -npools -nb -nband -nbgrp -nt -ntg -nd -ndiag -ni -nimage -in -inp -input -i
    -ntomp -ntmpi -ntomp_pme -npme -dlb -pin -pinoffset -pinstride -pme -bonded -update -nsteps
    -resethway -noconfout -deffnm mdrun -sf -suffix -pk -package -k -kokkos -sc -screen -log
    -partition -parallel -case auto yes no on off gpu cpu omp intel kk opt
    """.split()
)
"""Options of the programs that rules know, and words of theirs."""

WORDS = """
true false yes no on off y n none null auto default enable enabled disable disabled all any self
always never madvise try force with without prefix dir build host target includedir libdir mandir
infodir docdir runstatedir sysconfdir localstatedir datadir static shared device pm hydra gforker
version release date abi configure options cc cxx cpp fc f77 f90 cflags cxxflags fflags fcflags
ldflags libs o2 o3 debug distribution package ident repo rev open mpi library update bit lib lib64
usr include x86_64 linux gnu aarch64 info man data mon tue wed thu fri sat sun jan feb mar apr may
jun jul aug sep oct nov dec utc submit user account partition cluster comment topology addr wckey
nodelist queue qos reservation project name job ntasks tasks nodes mem gpus gres constraint export
chdir input output error wait exclusive overlap switches label tmp cores core socket sockets
hwthread hwthreads thread threads numa node slot slots l1cache l2cache l3cache ppr span bind map
rank by to cpu cpus list set pe close spread master primary active passive dynamic guided
granularity fine scatter compact balanced cyclic block plane granular interleave membind
cpunodebind physcpubind mask rr localalloc nomultithread multithread compute bound memory tcp udp
ib roce rc ud dc mlx5 mlx4 hfi1 hfi opx cxi kgni ugni gni tofu efa sysv posix cma knem xpmem vader
sm smcuda ob1 cm ucx ofi uct openib portals4 psm psm2 psm3 mxm fca hcoll ucc libnbc nbc han tuned
adapt basic inter sync monitoring base rdma pt2pt ucp uverbs uverbs0 infiniband umad rdmacm
ib_mlx5 verbs shm rxm rxd net lnx hook mm scif cuda cuda_copy cuda_ipc gdr gdr_copy rocm rocm_copy
rocm_ipc ze ze_copy ze_ipc eth0 eth1 ib0 ib1 ib2 ib3 eno1 lo hsn0 hsn1 hsn2 hsn3 opensm edr hdr
ndr xdr fdr qdr sdr ethernet mlx5_core mlx5_0 hfi1_0 nvidia amd kfd v nv gpu direct tcp6 ch3 ch4
mrail nemesis sock rail single funneled serialized multiple threadcomm libmpi libmpich debian
ubuntu rhel centos rocky alma suse sles fedora generic cloud aws azure gcp lts tsc hpet acpi kvm
hyperv cray shasta intel authenticamd genuineintel xeon epyc platinum gold silver bronze processor
ryzen threadripper arm neoverse graviton ampere altra fujitsu a64fx power9 power10 ibm grace r tm
ghz gen example scf nscf relax vc vc-relax md bands david cg ppcg paro automatic gamma crystal
tpiba lj real metal si electron cgs micro nano cut kk omp opt hybrid pppm ewald blocking scheduled
nonblocking simple hierarchical scotch metis ascii binary collated uncollated pbe pbe0 hse b3lyp
elpa scalapack cusolver reaxff eam coul long charmm tersoff pmpi scorep mpip ipm talp caliper
scalasca cube otf2 aps craypat darshan slurm pbs lsf sge pjm torque cobalt hand made
"""
"""Of values: switches, places, components of MPI libraries, transports, network cards, processors,
methods of programs."""
