"""METEOR 1.5 without Java; `Meteor` is the metric."""

from dialeval.metrics.meteor.metric import Meteor

__all__ = ["Meteor"]
