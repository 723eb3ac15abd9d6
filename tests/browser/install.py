"""python -m tests.browser.install: brings Chromium from Debian where it is missing and the user may install it."""

import os
import shutil
import subprocess
import sys

from tests.browser.server import BROWSERS

PACKAGES = ("chromium", "fonts-noto-cjk", "fonts-noto-color-emoji")


def main() -> None:
    """Does nothing where a browser is found; elsewhere installs it, or says what to install."""
    if any(shutil.which(name) for name in BROWSERS):
        return
    may_install = shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0
    if not may_install:
        sys.exit(
            "The browser tests need Chromium, and it is not installed. On Debian or Ubuntu: "
            f"sudo apt-get install {' '.join(PACKAGES)}. Elsewhere install Chromium or Google Chrome. "
            "To test without a browser: GLASSFORMER_NO_BROWSER=1 make test"
        )
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment)
    subprocess.run(["apt-get", "install", "-y", "-qq", *PACKAGES], check=True, env=environment)


if __name__ == "__main__" and os.environ.get("GLASSFORMER_NO_BROWSER") != "1":
    main()
