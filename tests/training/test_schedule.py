from dialeval.training.schedule import Schedule


def test_the_rate_rises_then_falls_to_nothing() -> None:
    schedule = Schedule(learning_rate=1.0, warm_up=2, decay=6)
    assert [schedule.rate(updates) for updates in range(8)] == [0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0]


def test_without_decay_it_stays_at_its_height() -> None:
    assert [Schedule(learning_rate=2.0, warm_up=1).rate(updates) for updates in (0, 5, 999)] == [2.0] * 3
