#!python
# The command `grbda` of the wheel: starts the tool in the package, without importing the package.
import importlib.util
import os
import sys

package = importlib.util.find_spec("grbda")
if package is None or package.origin is None:
    sys.exit("grbda: the package is not installed for this Python")
tool = os.path.join(os.path.dirname(package.origin), "bin", "grbda")
os.execv(tool, [tool, *sys.argv[1:]])
