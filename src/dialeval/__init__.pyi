"""The public surface: every name once, with the module that defines it."""

from dialeval.core import (
    CorpusMeasure as CorpusMeasure,
)
from dialeval.core import (
    CorpusResult as CorpusResult,
)
from dialeval.core import (
    Detector as Detector,
)
from dialeval.core import (
    Generator as Generator,
)
from dialeval.core import (
    Interval as Interval,
)
from dialeval.core import (
    LikelihoodModel as LikelihoodModel,
)
from dialeval.core import (
    Metric as Metric,
)
from dialeval.core import (
    Missing as Missing,
)
from dialeval.core import (
    Provenance as Provenance,
)
from dialeval.core import (
    Replayer as Replayer,
)
from dialeval.core import (
    Result as Result,
)
from dialeval.core import (
    Signature as Signature,
)
from dialeval.core import (
    System as System,
)
from dialeval.data import (
    Candidate as Candidate,
)
from dialeval.data import (
    Dialogue as Dialogue,
)
from dialeval.data import (
    Example as Example,
)
from dialeval.data import (
    Judgement as Judgement,
)
from dialeval.data import (
    NBest as NBest,
)
from dialeval.data import (
    Prompt as Prompt,
)
from dialeval.data import (
    Question as Question,
)
from dialeval.data import (
    Response as Response,
)
from dialeval.data import (
    Turn as Turn,
)
from dialeval.data import (
    read as read,
)
from dialeval.data import (
    read_prompts as read_prompts,
)
from dialeval.data import (
    read_texts as read_texts,
)
from dialeval.data import (
    write as write,
)
from dialeval.engine import (
    Cache as Cache,
)
from dialeval.engine import (
    InProcess as InProcess,
)
from dialeval.engine import (
    ProcessPool as ProcessPool,
)
from dialeval.errors import DialevalError as DialevalError
from dialeval.evaluation.compare import (
    Comparison as Comparison,
)
from dialeval.evaluation.compare import (
    compare as compare,
)
from dialeval.evaluation.compare import (
    compare_all as compare_all,
)
from dialeval.evaluation.corpus import evaluate_corpus as evaluate_corpus
from dialeval.evaluation.runner import (
    by_dialogue as by_dialogue,
)
from dialeval.evaluation.runner import (
    evaluate as evaluate,
)
from dialeval.meta import (
    correlate as correlate,
)
from dialeval.meta import (
    estimate_systems as estimate_systems,
)
from dialeval.meta import (
    examine as examine,
)
from dialeval.metrics import (
    CORPUS_MEASURES as CORPUS_MEASURES,
)
from dialeval.metrics import (
    METRICS as METRICS,
)
from dialeval.metrics import (
    BertScore as BertScore,
)
from dialeval.metrics import (
    Bleu as Bleu,
)
from dialeval.metrics import (
    Chrf as Chrf,
)
from dialeval.metrics import (
    Cider as Cider,
)
from dialeval.metrics import (
    Distinct as Distinct,
)
from dialeval.metrics import (
    EmbeddingAverage as EmbeddingAverage,
)
from dialeval.metrics import (
    GreedyMatching as GreedyMatching,
)
from dialeval.metrics import (
    Length as Length,
)
from dialeval.metrics import (
    Meteor as Meteor,
)
from dialeval.metrics import (
    OverlapScores as OverlapScores,
)
from dialeval.metrics import (
    RougeL as RougeL,
)
from dialeval.metrics import (
    SelfBleu as SelfBleu,
)
from dialeval.metrics import (
    SentenceCosine as SentenceCosine,
)
from dialeval.metrics import (
    SkipThought as SkipThought,
)
from dialeval.metrics import (
    VectorExtrema as VectorExtrema,
)
from dialeval.metrics import (
    Vocabulary as Vocabulary,
)
from dialeval.metrics import (
    bert_score as bert_score,
)
from dialeval.metrics import (
    build as build,
)
from dialeval.metrics import (
    score_strings as score_strings,
)
from dialeval.metrics.scoring import score as score
from dialeval.ratings.agreement.coefficients import agreement_of as agreement_of
from dialeval.ratings.joining import (
    Joined as Joined,
)
from dialeval.ratings.joining import (
    join as join,
)
from dialeval.ratings.reading import read_judgements as read_judgements
from dialeval.ratings.table import Ratings as Ratings
from dialeval.selection.asking.asking import (
    Asked as Asked,
)
from dialeval.selection.asking.asking import (
    ask as ask,
)
from dialeval.selection.asking.choosers import (
    EncoderChooser as EncoderChooser,
)
from dialeval.selection.asking.choosers import (
    TfIdfChooser as TfIdfChooser,
)
from dialeval.selection.asking.metrics import SelectionAccuracy as SelectionAccuracy
from dialeval.selection.drafting.drafts import (
    Draft as Draft,
)
from dialeval.selection.drafting.drafts import (
    build_draft as build_draft,
)
from dialeval.selection.repository.repository import (
    Repository as Repository,
)
from dialeval.selection.repository.repository import (
    build_repository as build_repository,
)
from dialeval.study import (
    Study as Study,
)
from dialeval.study import (
    Workshop as Workshop,
)
from dialeval.study import (
    load_run as load_run,
)
from dialeval.study import (
    load_study as load_study,
)
from dialeval.study import (
    run_study as run_study,
)
from dialeval.study import (
    write_run as write_run,
)
from dialeval.study.report.page import render as render
from dialeval.systems import (
    SYSTEMS as SYSTEMS,
)
from dialeval.systems import (
    Echo as Echo,
)
from dialeval.systems import (
    HuggingFace as HuggingFace,
)
from dialeval.systems import (
    OpenAI as OpenAI,
)
from dialeval.systems import (
    Random as Random,
)
from dialeval.systems import (
    Retrieval as Retrieval,
)
from dialeval.systems import (
    Trained as Trained,
)
from dialeval.systems import (
    Transcript as Transcript,
)
from dialeval.systems.building import build_system as build_system
from dialeval.systems.conversation import (
    Script as Script,
)
from dialeval.systems.conversation import (
    converse as converse,
)
from dialeval.systems.decoding import Decoding as Decoding
from dialeval.version import __version__ as __version__
