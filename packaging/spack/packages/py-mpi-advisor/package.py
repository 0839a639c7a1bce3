# Older Spack: from spack.package import * alone
from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyMpiAdvisor(PythonPackage):
    """Profiles an MPI job and says what to change."""

    # There is no archive to fetch yet: `spack dev-build` takes a checkout.
    license("BSD-3-Clause")

    version("0.2.0")

    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-setuptools@61:", type="build")
    depends_on("py-rich@12:", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type=("build", "run"))
    depends_on("py-numpy@1.20:", type=("build", "run"))
    depends_on("py-pyelftools@0.29:", type=("build", "run"))
    depends_on("py-babel@2.9:", type=("build", "run"))
    depends_on("py-tomli@1.1:", type=("build", "run"), when="^python@:3.10")

    # The collector is built for the MPI library of a job, by that library's own compiler: none is
    # needed here. Traces of others are read by a program that links this library.
    variant("otf2", default=False, description="Read and write OTF2 traces")
    depends_on("otf2", type="run", when="+otf2")
