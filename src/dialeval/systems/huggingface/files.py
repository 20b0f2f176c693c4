"""Files of a model by its name or folder, with their hash; the embedded one is converted once from its GGUF."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from dialeval.errors import ResourceUnavailable
from dialeval.files.atomic import write_atomically
from dialeval.files.digests import hash_file
from dialeval.files.folders import one_at_a_time, with_home
from dialeval.resources import fingerprint, obtain
from dialeval.resources.huggingface import (
    HubFailed,
    hash_model,
    plain_name,
    quiet_transformers,
    read_settings,
    require_torch,
    snapshot,
)
from dialeval.resources.kept import kept_folder
from dialeval.systems.huggingface import EMBEDDED

_READ: Final = ("*.safetensors", "*.json", "*.txt", "*.model", "*.jinja")
_FORMAT: Final = 1
"""Rises with anything that changes what is written."""
_RECORD: Final = "converted.json"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model's folder, and the hash of all that we read of it."""

    name: str
    folder: Path | None
    """None for the embedded model, which is first to be converted."""
    sha256: str

    @property
    def fact(self) -> str:
        """Name and hash as a signature shows them."""
        return f"{plain_name(self.name)}:{self.sha256[:12]}"

    @property
    def has_template(self) -> bool:
        """Whether the tokenizer knows how its model was taught to chat."""
        if self.folder is None or (self.folder / "chat_template.jinja").is_file():
            return True
        return bool(read_settings(self.folder / "tokenizer_config.json").get("chat_template"))


def find_model(model: str, revision: str | None, *, hub: bool) -> ModelFiles:
    """The files of the embedded model, of a local folder, or of a hub model that was downloaded or may be."""
    require_torch("Hugging Face systems", "transformers")
    if model == EMBEDDED:
        return ModelFiles(EMBEDDED, None, fingerprint(EMBEDDED))
    folder = with_home(model)
    if folder.is_dir():
        folder = folder.resolve()
        return ModelFiles(folder.name, folder, hash_model(folder, _READ))
    if model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise ResourceUnavailable(
            f"There is no folder {model!r} to read a model from. Correct the path, or give {EMBEDDED!r} or the name "
            "of a model on the Hugging Face hub."
        )
    folder = _from_hub(model, revision, hub)
    return ModelFiles(model, folder, hash_model(folder, _READ))


# One look at the hub a process: a branch that moves meanwhile must not change the model between batches.
@lru_cache(maxsize=8)
def _from_hub(model: str, revision: str | None, download: bool) -> Path:
    try:
        return snapshot(model, revision, _READ, download=download)
    except HubFailed as error:
        if not download:
            raise ResourceUnavailable(
                f"There is no folder {model!r}, and no model of that name was downloaded before. Give the folder of a "
                f"model or {EMBEDDED!r}; to download {model!r} from the Hugging Face hub, allow that with 'hub: true'."
            ) from None
        raise ResourceUnavailable(
            f"{model} could not be downloaded from the hub: {error}. Check its name and the connection, or give the "
            "folder of a local copy."
        ) from error


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
