"""The tests of the package."""

pytest_plugins = ["pytester"]
