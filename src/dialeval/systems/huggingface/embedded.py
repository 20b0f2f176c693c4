"""The embedded model, converted once from the GGUF of its package into safetensors, which load in a second."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from dialeval.errors import ResourceUnavailable
from dialeval.files.atomic import write_atomically
from dialeval.files.digests import hash_file
from dialeval.files.folders import one_at_a_time
from dialeval.resources import obtain
from dialeval.resources.finding import kept_folder
from dialeval.resources.huggingface import quiet_transformers
from dialeval.systems.huggingface.files import EMBEDDED

_FORMAT: Final = 1
"""Rises with anything that changes what is written."""
_RECORD: Final = "converted.json"


def embedded_folder(cache: Path | None = None) -> Path:
    """The folder of the converted model in ``cache``, by default the user's; converted first if needed.

    The name of the folder holds the hash of the GGUF, which is compared with the catalogue each time.
    """
    source = obtain(EMBEDDED)
    folder = (cache or kept_folder("models")) / f"{EMBEDDED}-{hash_file(source)[:16]}-{_FORMAT}"
    try:
        with one_at_a_time(folder):
            if not is_whole(folder):
                _convert(source, folder)
    except OSError as error:
        raise ResourceUnavailable(
            f"{EMBEDDED} could not be kept at {folder} ({error}). Make that folder writable and see that the disk has "
            "600 MB free."
        ) from None
    return folder


def _convert(source: Path, folder: Path) -> None:
    logging.getLogger(__name__).warning(
        "Converting %s into %s. This happens once, takes about half a minute and 540 MB.", source.name, folder
    )
    shutil.rmtree(folder, ignore_errors=True)
    # Written beside its place and renamed there, so that a conversion cut short leaves no half of a model.
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        _write(source, scratch)
        sizes = {path.name: path.stat().st_size for path in sorted(scratch.iterdir())}
        write_atomically(scratch / _RECORD, json.dumps(sizes).encode())
        scratch.chmod(0o755)
        scratch.replace(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _write(source: Path, folder: Path) -> None:
    import torch

    local: dict[str, Any] = {"gguf_file": source.name, "local_files_only": True}
    with quiet_transformers() as transformers:
        tokenizer = transformers.AutoTokenizer.from_pretrained(source.parent, **local)
        read = transformers.AutoModelForCausalLM.from_pretrained(source.parent, dtype=torch.float32, **local)
        # The library saves no model that it takes for a quantised one, though these weights no longer are.
        del read.config.quantization_config
        model = type(read)(read.config)
        model.load_state_dict(read.state_dict())
        model.generation_config = read.generation_config
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def is_whole(folder: Path) -> bool:
    """Whether every file of a converted model is there with the size that it was written with."""
    record = folder / _RECORD
    if not record.is_file():
        return False
    sizes = json.loads(record.read_text(encoding="utf-8"))
    return all(
        (folder / name).is_file() and (folder / name).stat().st_size == size for name, size in sizes.items()
    )
