"""Makes tests/text/encodings.json: what another implementation of the WHATWG Encoding Standard decodes.

    npm install --prefix /tmp/node @exodus/bytes
    python scripts/encoding_digests.py /tmp/node

Needs Node.js. `@exodus/bytes` is written in JavaScript, has tables of its own, and passes the tests of the
web platform for encodings; Node's own TextDecoder, which is ICU's, does not follow the standard everywhere.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT))

from tests.text.encoding_inputs import LABELS, NAMES, inputs  # noqa: E402

_DECODE = """
import { readFileSync, writeFileSync } from 'node:fs'
import { TextDecoder } from '@exodus/bytes/encoding.js'
const [list, labels] = process.argv.slice(2)
const names = {}
for (const label of JSON.parse(readFileSync(labels, 'utf8'))) {
  try { names[label] = new TextDecoder(label).encoding } catch { names[label] = null }
}
writeFileSync(labels, JSON.stringify(names))
for (const [name, path] of JSON.parse(readFileSync(list, 'utf8'))) {
  const text = new TextDecoder(name, { ignoreBOM: true }).decode(readFileSync(path))
  writeFileSync(path, Buffer.from(text, 'utf8'))
}
"""


def main(modules: Path) -> None:
    """Decodes all inputs by Node.js, with the packages in a folder, and writes the digests."""
    found: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(dir=modules) as folder:
        places = []
        for name in NAMES:
            for kind, data in inputs(name).items():
                path = Path(folder, f"{name}-{kind}")
                path.write_bytes(data)
                places.append((name, kind, path))
        listed, labels, program = Path(folder, "list"), Path(folder, "labels"), Path(folder, "decode.mjs")
        listed.write_text(json.dumps([(name, str(path)) for name, _, path in places]))
        labels.write_text(json.dumps(LABELS))
        program.write_text(_DECODE)
        subprocess.run(["node", program, listed, labels], check=True)
        for name, kind, path in places:
            found.setdefault(name, {})[kind] = hashlib.sha256(path.read_bytes()).hexdigest()
        names = json.loads(labels.read_text())
    text = json.dumps({"labels": names, "sha256": found}, indent=1)
    (_ROOT / "tests/text/encodings.json").write_text(text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
