"""Fifty false candidates of our own, each with its ground truth and with what a reader says is wrong with it.

The label was given while reading, before the guesses were run on them; where two fit, the graver one.
"""

from __future__ import annotations

from typing import NamedTuple


class Labelled(NamedTuple):
    context: str
    truth: str
    false: str
    label: str


EXAMPLES = [
    # wrong subject: the right thing said of the wrong person
    Labelled(
        "Did you lock the door?", "Yes, I locked it twice.", "Yes, he locked it himself.", "wrong_subject"
    ),
    Labelled(
        "Have you eaten?", "I had a sandwich at noon.", "They had sandwiches at the office.", "wrong_subject"
    ),
    Labelled(
        "What does your brother do?", "He teaches chemistry.", "I teach chemistry to adults.", "wrong_subject"
    ),
    Labelled(
        "Can I borrow your pen?", "I only have this one.", "You only have one pen left.", "wrong_subject"
    ),
    Labelled("Is Anna coming?", "She said she would.", "You said you would come.", "wrong_subject"),
    Labelled("Stop shouting!", "I'm not shouting.", "You're not shouting loud enough.", "wrong_subject"),
    Labelled("Where do you live?", "I live near the station.", "She lives above a station.", "wrong_subject"),
    Labelled("Why is Tom sad?", "He lost his job.", "I lost a job like that once.", "wrong_subject"),
    Labelled(
        "What shall we eat?", "We could order pizza.", "He could order pizza for himself.", "wrong_subject"
    ),
    Labelled("Are you ready?", "I just need my coat.", "You just need a warmer coat.", "wrong_subject"),
    Labelled(
        "Who broke the vase?", "I did, I'm sorry.", "You did say sorry about the vase.", "wrong_subject"
    ),
    Labelled("How was your exam?", "I think I passed.", "My sister passed hers easily.", "wrong_subject"),
    Labelled("You look tired.", "I barely slept.", "The baby barely slept at all.", "wrong_subject"),
    Labelled(
        "Do you need help?", "I can carry it alone.", "Could you carry it alone, madam?", "wrong_subject"
    ),
    # wrong tense: the right person at the wrong time
    Labelled("What are you doing tonight?", "I'm seeing a film.", "I saw that film twice.", "wrong_tense"),
    Labelled("Are you busy now?", "I'm writing a letter.", "I was writing letters all week.", "wrong_tense"),
    Labelled("What did you do on Sunday?", "I went fishing.", "I'll go fishing some day.", "wrong_tense"),
    Labelled(
        "When will you call her?", "I'll call her tonight.", "I called her from the train.", "wrong_tense"
    ),
    Labelled(
        "Did you like the soup?", "It tasted wonderful.", "It will taste wonderful with salt.", "wrong_tense"
    ),
    Labelled("Where are you going?", "To the bank, I need cash.", "I needed cash back then.", "wrong_tense"),
    Labelled("How was the trip?", "We had a great time.", "We're going to have a great trip.", "wrong_tense"),
    Labelled("Will you marry me?", "Yes, I will.", "Yes, I did, years ago.", "wrong_tense"),
    # insufficient: too little, or broken off
    Labelled("What time is it?", "It's half past four.", "Oh, the", "insufficient"),
    Labelled("Take a good rest.", "Yeah, I will.", "Yeah, yeah, yeah, I", "insufficient"),
    Labelled("Why were you late?", "The bus broke down.", "Well, because.", "insufficient"),
    Labelled("Who is that man?", "He's my landlord.", "Him? Oh.", "insufficient"),
    Labelled("How do I get there?", "Turn left at the church.", "Left, and", "insufficient"),
    Labelled("What do you think of it?", "The colours are lovely.", "Something.", "insufficient"),
    # inconsistent: against what was said before
    Labelled(
        "I never eat meat.", "Then try the lentils.", "Then have the beef again, as always.", "inconsistent"
    ),
    Labelled("My parents died young.", "I'm so sorry.", "Say hello to your mother.", "inconsistent"),
    Labelled(
        "It's been raining all day.", "I'll take an umbrella.", "I'll enjoy the sunshine.", "inconsistent"
    ),
    Labelled("I can't swim.", "I could teach you.", "You swim faster than anyone.", "inconsistent"),
    Labelled(
        "The shop shuts at six.", "We must hurry, it's ten to.", "It stays open until nine.", "inconsistent"
    ),
    Labelled("I have no brothers.", "You must be spoilt!", "How old is your brother?", "inconsistent"),
    Labelled("That's ten pounds.", "Here you are.", "Twenty pounds is too much.", "inconsistent"),
    Labelled("When was this break-in?", "It happened last night.", "It happens next week.", "inconsistent"),
    Labelled(
        "I've just sold my car.", "How will you get to work?", "Park your car over there.", "inconsistent"
    ),
    Labelled("She moved to Rome.", "Do you miss her?", "She has never left this town.", "inconsistent"),
    # irrelevant or otherwise wrong
    Labelled(
        "Could you take a picture?", "Which button do I press?", "Button your shirt, please.", "irrelevant"
    ),
    Labelled("Do I have to focus it?", "No, it does so itself.", "I do have ninja focus.", "irrelevant"),
    Labelled("Is the soup hot?", "Careful, it's boiling.", "That soup opera is boring.", "irrelevant"),
    Labelled("How much is the ticket?", "Two fifty.", "Speeding tickets ruin lives.", "irrelevant"),
    Labelled("I lost my key.", "Look under the mat.", "The key of this song is G.", "irrelevant"),
    Labelled("Do you play chess?", "Only against my father.", "We went to see a play.", "irrelevant"),
    Labelled("My head aches.", "Shall I fetch an aspirin?", "He heads the committee.", "irrelevant"),
    Labelled("Would you like some tea?", "Yes, with milk.", "Tea is grown on hills.", "irrelevant"),
    Labelled("The train is late.", "It always is on Mondays.", "I trained for a marathon.", "irrelevant"),
    Labelled("Can you hear me?", "Loud and clear.", "Here comes the bride!", "irrelevant"),
    Labelled("I passed the exam!", "Congratulations!", "Pass me the salt, would you?", "other"),
    Labelled("Shall we dance?", "I'd love to.", "You dance like nobody ought to.", "other"),
]
