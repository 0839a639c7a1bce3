#define _GNU_SOURCE
#include "settings.h"
#include "secrets.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

/* An allow-list: an environment holds secrets, and a profile is sent to strangers. */
static const char *const prefixes[] = { "OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_",  "UCX_",  "FI_",
                                        "I_MPI_",    "MPICH_",    "MPIR_CVAR_", "MV2_",  "MVP_",
                                        "PSM2_",     "PSM3_",     "OMP_",       "GOMP_", "KMP_",
                                        "HCOLL_",    "SHARP_",    "UCC_",       "NCCL_", "MALLOC_",
                                        NULL };
static const char *const names[] = { "SLURM_JOB_ID",
                                     "SLURM_NTASKS",
                                     "SLURM_NPROCS",
                                     "SLURM_CPUS_PER_TASK",
                                     "SLURM_NTASKS_PER_NODE",
                                     "SLURM_TASKS_PER_NODE",
                                     "SLURM_JOB_NUM_NODES",
                                     "SLURM_NNODES",
                                     "SLURM_DISTRIBUTION",
                                     "SLURM_CPU_BIND",
                                     "SLURM_CPU_BIND_TYPE",
                                     "SLURM_MEM_BIND",
                                     "SLURM_CPU_FREQ_REQ",
                                     "SLURM_THREADS_PER_CORE",
                                     "SLURM_HINT",
                                     "SLURM_JOB_CPUS_PER_NODE",
                                     "SLURM_MPI_TYPE",
                                     "SLURM_MEM_PER_NODE",
                                     "SLURM_MEM_PER_CPU",
                                     "SRUN_CPUS_PER_TASK",
                                     "SLURM_CLUSTER_NAME",
                                     "SLURM_JOB_PARTITION",
                                     "PBS_JOBID",
                                     "PBS_NUM_NODES",
                                     "PBS_NUM_PPN",
                                     "PBS_NP",
                                     "PBS_QUEUE",
                                     "NCPUS",
                                     "PALS_APID",
                                     "PALS_DEPTH",
                                     "PJM_JOBID",
                                     "PJM_NODE",
                                     "PJM_MPI_PROC",
                                     "PJM_PROC_BY_NODE",
                                     "PJM_RSCGRP",
                                     "LSB_JOBID",
                                     "LSB_DJOB_NUMPROC",
                                     "LSB_MAX_NUM_PROCESSORS",
                                     "LSB_BIND_CPU_LIST",
                                     "LSB_QUEUE",
                                     "FLUX_JOB_ID",
                                     "FLUX_JOB_SIZE",
                                     "FLUX_JOB_NNODES",
                                     "JOB_ID",
                                     "NSLOTS",
                                     "NHOSTS",
                                     "PE",
                                     "OPENBLAS_NUM_THREADS",
                                     "MKL_NUM_THREADS",
                                     "CUDA_VISIBLE_DEVICES",
                                     "ROCR_VISIBLE_DEVICES",
                                     "HIP_VISIBLE_DEVICES",
                                     "HFI_UNIT",
                                     "OMPI_COMM_WORLD_LOCAL_SIZE",
                                     "MPI_LOCALNRANKS",
                                     NULL };
static const char *const secrets[] = { "TOKEN", "SECRET", "KEY",  "PASSW", "CRED",
                                       "AUTH",  "COOKIE", "CERT", "JWT",   NULL };

/* What mpirun tells its own daemons and ranks: addresses, folders, rank numbers. Nobody's setting.
 */
static const char *const internal[] = { "OMPI_MCA_ess",
                                        "OMPI_MCA_orte_",
                                        "OMPI_MCA_pmix",
                                        "OMPI_MCA_initial_wdir",
                                        "PMIX_MCA_mca_base_",
                                        "OMPI_MCA_shmem_RUNTIME",
                                        "OMPI_MCA_mpi_oversubscribe",
                                        "PMIX_MCA_psec",
                                        "I_MPI_INFO_",
                                        "I_MPI_PIN_INFO",
                                        "I_MPI_PIN_MAPPING",
                                        "I_MPI_HYDRA_UUID",
                                        "I_MPI_MPIRUN",
                                        "I_MPI_ROOT",
                                        "I_MPI_INTERNAL_",
                                        "OMPI_MCA_plm",
                                        "OMPI_MCA_routed",
                                        "OMPI_MCA_PREFIXES",
                                        "OMPI_MCA_num_procs",
                                        "OMPI_MCA_cpu_type",
                                        "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                        "FI_PSM3_UUID",
                                        "OMPI_MCA_mca_base_env_list",
                                        /* a list of any variables, secrets among them */ NULL };

static int is_wanted(const char *name)
{
    for (const char *const *prefix = internal; *prefix; prefix++)
        if (!strncmp(name, *prefix, strlen(*prefix)))
            return 0;
    for (const char *const *secret = secrets; *secret; secret++)
        if (strcasestr(name, *secret))
            return 0;
    for (const char *const *known = names; *known; known++)
        if (!strcmp(name, *known))
            return 1;
    for (const char *const *prefix = prefixes; *prefix; prefix++)
        if (!strncmp(name, *prefix, strlen(*prefix)))
            return 1;
    return 0;
}

/* A value may hold tabs and line ends, which separate our fields. */
static void clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20)
            *text = ' ';
}

void settings_append(char *settings, size_t size, const char *name, const char *value,
                     const char *source)
{
    char line[2048];
    size_t length = strlen(settings);
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", holds_secret(value) ? "***" : value);
    clean(copy);
    int more = snprintf(line, sizeof line, "%s\t%s\t%s\n", name, copy, source);
    if (more > 0 && (size_t)more < sizeof line && length + (size_t)more + 1 < size)
        memcpy(settings + length, line, (size_t)more + 1);
}

/* The environment as it was when this process started; its length in `size`. NULL if it cannot be
 * read. */
static char *first_environment(size_t *size)
{
    FILE *file = fopen("/proc/self/environ", "re");
    char *text = NULL;
    *size = 0;
    if (!file)
        return NULL;
    for (size_t room = 0, more = 1; more && room < 8 << 20;) {
        char *larger = realloc(text, (room += 64 << 10) + 1);
        if (!larger)
            break;
        text = larger;
        *size += more = fread(text + *size, 1, room - *size, file);
    }
    fclose(file);
    if (text)
        text[*size] = 0;
    return text;
}

static int was_there(const char *text, size_t size, const char *entry, size_t name)
{
    for (const char *at = text; at < text + size; at += strlen(at) + 1)
        if (!strncmp(at, entry, name + 1))
            return 1;
    return 0;
}

/* What is there now and was not when the process started has been set by the program or by the
 * library: Open MPI sets PSM2_DEVICES in jobs of one host. Nobody's setting to be asked about. */
void settings_from_environment(char *settings, size_t size)
{
    size_t first_size;
    char *first = first_environment(&first_size);
    for (char **entry = environ; entry && *entry; entry++) {
        char name[128];
        const char *equals = strchr(*entry, '=');
        if (!equals || (size_t)(equals - *entry) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *entry), *entry);
        if (is_wanted(name))
            settings_append(settings, size, name, equals + 1,
                            !first || was_there(first, first_size, *entry, strlen(name))
                                ? "environment"
                                : "process");
    }
    free(first);
}

static const char *const ours[] = {
    "ADVISOR_RUN",      "ADVISOR_GATHER",        "ADVISOR_FULL_RANKS",
    "ADVISOR_COUNTERS", "ADVISOR_STACKS",        "ADVISOR_TRACE",
    "TMPDIR",           "ADVISOR_OUTPUT",        "ADVISOR_SPOOL_NAME",
    "ADVISOR_SPOOL",    "ADVISOR_FINISH_SECONDS"
};
enum { OURS = sizeof ours / sizeof *ours };
static char *kept[OURS];

/* What the gate of a centre has put there is for this process alone: programs that it starts see
 * the environment that the user gave. */
static void restore_environment(void)
{
    const char *preload = getenv("ADVISOR_FLEET_PRELOAD");
    if (!preload)
        return;
    if (*preload)
        setenv("LD_PRELOAD", preload, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv("ADVISOR_FLEET_PRELOAD");
    unsetenv("ADVISOR_SPOOL");
    unsetenv("ADVISOR_SPOOL_NAME");
    unsetenv("ADVISOR_RUN");
}

void settings_keep(void)
{
    for (int i = 0; i < OURS; i++) {
        free(kept[i]);
        kept[i] = getenv(ours[i]) ? strdup(getenv(ours[i])) : NULL;
    }
    restore_environment();
}

const char *setting(const char *name)
{
    int i = 0;
    while (i < OURS && strcmp(ours[i], name))
        i++;
    return i < OURS ? kept[i] : NULL;
}

const char *setting_output(void)
{
    const char *folder = setting("ADVISOR_OUTPUT");
    return folder ? folder : "";
}

const char *setting_spool(void)
{
    const char *folder = setting("ADVISOR_SPOOL");
    return folder && !*setting_output() ? folder : "";
}

double setting_finish_seconds(void)
{
    const char *given = setting("ADVISOR_FINISH_SECONDS");
    return given ? atof(given) : 5;
}

int setting_keeps(void)
{
    return *setting_output() || *setting_spool();
}

const char *setting_run(void)
{
    const char *run = setting("ADVISOR_RUN");
    if (!run || !*run || strlen(run) > 40)
        return "run";
    for (const char *at = run; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '-' && *at != '_')
            return "run";
    return run;
}

enum gather setting_gather(void)
{
    const char *gather = setting("ADVISOR_GATHER");
    return !gather                  ? GATHER_ASK
           : !strcmp(gather, "no")  ? GATHER_NO
           : !strcmp(gather, "yes") ? GATHER_YES
                                    : GATHER_ASK;
}

int setting_full_ranks(void)
{
    enum { USUAL = 4096 }; /* some 20 KiB each: a profile of 80 MiB */
    const char *given = setting("ADVISOR_FULL_RANKS");
    int ranks = given ? atoi(given) : 0;
    return ranks > 0 ? ranks : USUAL;
}

const char *setting_counters(void)
{
    const char *wish = setting("ADVISOR_COUNTERS");
    return wish && *wish && strcmp(wish, "no") ? wish : NULL;
}

int setting_stacks(void)
{
    const char *depth = setting("ADVISOR_STACKS");
    return depth && atoi(depth) > 0 ? atoi(depth) : 0;
}

int setting_stacks_of_python(void)
{
    const char *wish = setting("ADVISOR_STACKS");
    return wish && !strcmp(wish, "python");
}
