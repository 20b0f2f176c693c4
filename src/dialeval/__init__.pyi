"""The public surface: every name once, with the module that defines it."""

from dialeval.catalogue.building import build_system as build_system
from dialeval.catalogue.metrics import (
    CORPUS_MEASURES as CORPUS_MEASURES,
    METRICS as METRICS,
    build as build,
)
from dialeval.catalogue.scores import score as score
from dialeval.catalogue.systems import SYSTEMS as SYSTEMS
from dialeval.consistency.detecting.metrics import (
    ContradictionFree as ContradictionFree,
    ContradictionRate as ContradictionRate,
)
from dialeval.core import (
    Detector as Detector,
    Estimate as Estimate,
    Generator as Generator,
    LeaveOneOut as LeaveOneOut,
    LikelihoodModel as LikelihoodModel,
    Metric as Metric,
    Missing as Missing,
    Provenance as Provenance,
    Replayer as Replayer,
    Resampling as Resampling,
    Result as Result,
    Signature as Signature,
    System as System,
    by_dialogue as by_dialogue,
)
from dialeval.data import (
    Candidate as Candidate,
    Dialogue as Dialogue,
    Example as Example,
    Judgement as Judgement,
    NBest as NBest,
    Prompt as Prompt,
    Question as Question,
    Response as Response,
    Turn as Turn,
    read as read,
    read_prompts as read_prompts,
    read_texts as read_texts,
    write as write,
)
from dialeval.engine import (
    Cache as Cache,
    InProcess as InProcess,
    ProcessPool as ProcessPool,
)
from dialeval.errors import DialevalError as DialevalError
from dialeval.evaluation.compare import (
    Comparison as Comparison,
    compare as compare,
    compare_all as compare_all,
)
from dialeval.evaluation.runner import (
    Plan as Plan,
    evaluate as evaluate,
)
from dialeval.judge.facts import JudgedFacts as JudgedFacts
from dialeval.judge.metric import Judge as Judge
from dialeval.judge.slots import JudgedSlotErrors as JudgedSlotErrors
from dialeval.meta import (
    correlate as correlate,
    estimate_systems as estimate_systems,
    examine as examine,
    join as join,
)
from dialeval.metrics.assertions.metric import (
    Assertions as Assertions,
    Contains as Contains,
    Equals as Equals,
    Json as Json,
    Language as Language,
    MaxLength as MaxLength,
    NotContains as NotContains,
    Regex as Regex,
)
from dialeval.metrics.bertscore import (
    BertScore as BertScore,
    bert_score as bert_score,
)
from dialeval.metrics.diversity import (
    Distinct as Distinct,
    SelfBleu as SelfBleu,
    Vocabulary as Vocabulary,
)
from dialeval.metrics.embedding.metric import (
    EmbeddingAverage as EmbeddingAverage,
    GreedyMatching as GreedyMatching,
    VectorExtrema as VectorExtrema,
)
from dialeval.metrics.facts.metric import Facts as Facts
from dialeval.metrics.length import Length as Length
from dialeval.metrics.meteor.metric import Meteor as Meteor
from dialeval.metrics.overlap.bleu import Bleu as Bleu
from dialeval.metrics.overlap.chrf import Chrf as Chrf
from dialeval.metrics.overlap.cider import Cider as Cider
from dialeval.metrics.overlap.rouge_l import RougeL as RougeL
from dialeval.metrics.overlap.words import (
    OverlapScores as OverlapScores,
    score_strings as score_strings,
)
from dialeval.metrics.sentence_cosine import SentenceCosine as SentenceCosine
from dialeval.metrics.skip_thought.metric import SkipThought as SkipThought
from dialeval.nlg.generators.system import Nlg as Nlg
from dialeval.nlg.slots.metric import SlotErrorRate as SlotErrorRate
from dialeval.ratings import (
    Joined as Joined,
    Ratings as Ratings,
    agreement_of as agreement_of,
    read_judgements as read_judgements,
)
from dialeval.selection.asking.choices import choose as choose
from dialeval.selection.asking.choosers import (
    EncoderChooser as EncoderChooser,
    TfIdfChooser as TfIdfChooser,
)
from dialeval.selection.asking.metrics import SelectionAccuracy as SelectionAccuracy
from dialeval.selection.drafting.drafts import (
    Draft as Draft,
    build_draft as build_draft,
)
from dialeval.selection.repository.repository import (
    Repository as Repository,
    build_repository as build_repository,
)
from dialeval.selfeval.metric import SelfEval as SelfEval
from dialeval.selfeval.quality.metric import Quality as Quality
from dialeval.selfeval.rivals.context_cosine import ContextCosine as ContextCosine
from dialeval.selfeval.rivals.fed import Fed as Fed
from dialeval.selfeval.rivals.likelihood import (
    FollowUps as FollowUps,
    Full as Full,
    LmLikelihood as LmLikelihood,
    Pmi as Pmi,
)
from dialeval.selfeval.trained.metrics import (
    Density as Density,
    Dynaeval as Dynaeval,
    Quantidce as Quantidce,
)
from dialeval.study import (
    Study as Study,
    Workshop as Workshop,
    load_run as load_run,
    load_study as load_study,
    render as render,
    run_study as run_study,
    write_run as write_run,
)
from dialeval.systems import (
    Echo as Echo,
    HuggingFace as HuggingFace,
    OpenAI as OpenAI,
    Random as Random,
    Retrieval as Retrieval,
    Trained as Trained,
    Transcript as Transcript,
)
from dialeval.systems.conversation import (
    Script as Script,
    converse as converse,
)
from dialeval.systems.decoding import Decoding as Decoding
from dialeval.talks.metrics import (
    PassK as PassK,
    Success as Success,
    TurnsToSuccess as TurnsToSuccess,
    UserFaults as UserFaults,
)
from dialeval.version import __version__ as __version__
