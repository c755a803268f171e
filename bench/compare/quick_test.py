"""compare.py --quick on a finished build: every table is there, every answer right."""
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

EXPECTED = {
    "## A:": ["| Basin, engine |", "| the same by hand |", "| Basin, model |",
              "the very same answers"],
    "## B:": ["| Basin, engine |", "fired"],
    "## C25:": ["| Basin, engine |", "| Basin, model |"],
    "## C2500:": ["| Basin, engine |", "| Basin, model |"],
    "## D:": ["| Basin |", "peak depth"],
    "## Storm:": ["| Basin |"],
    "## E:": ["| Basin, one attempt |", "| Basin, four attempts |"],
    "## Growth:": ["| Basin |", "mean depth"],
    "## Sweep:": ["| 1 |", "| 2 |"],
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.md"
        done = subprocess.run([sys.executable, "-B", HERE / "compare.py", "--quick",
                               "--basin", sys.argv[1], "-o", table],
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        sections = {}
        for line in table.read_text().splitlines():
            if line.startswith("## "):
                sections[line] = body = []
            elif sections:
                body.append(line)
    for title, rows in EXPECTED.items():
        text = "\n".join(line for name, lines in sections.items()
                         if name.startswith(title) for line in lines)
        for row in rows:
            if row not in text:
                sys.exit(f"no {row!r} under {title!r}:\n{text}")
        if "failed" in text or "off:" in text:
            sys.exit(f"{title}\n{text}")


main()
