"""The whole report: sections in the order in which a reader asks for them."""

import datetime

import best
import inside
import page
import progress
import results


def build(data, reference, baseline):
    """(HTML, lines about stored tuples that differ from their drawings)."""
    labels = [configuration.label for configuration in data.configurations]
    title = (
        labels[0]
        if len(labels) == 1
        else f"{labels[0]} and {len(labels) - 1} more"
        if len(labels) > 3
        else ", ".join(labels)
    )
    found, notes = best.recounted(data)
    now = datetime.datetime.now(datetime.timezone.utc)
    studies = {
        configuration.study["name"]: configuration.study
        for configuration in data.configurations
        if configuration.study
    }
    introduction = [
        page.paragraph(
            f"Report of {results.counted(len(data.runs), 'unit')} of lcn, made {now:%Y-%m-%d %H:%M} UTC. A "
            "drawing is scored by (K, n_K, Φ, C), smaller is better, first entry first: K is the largest "
            "number of crossings on one edge, n_K the number of edges with K, Φ the sum of squared "
            "crossings, C the number of crossings. Tuples are those of the archive, verified."
        )
    ]
    for study in studies.values():
        texts = [(key, study[key] or "none was written down") for key in ("question", "hypothesis")]
        texts.append(("verdict", "by the study's rule: lcn study report"))
        introduction.append(page.cards([("", f"Study {study['name']}", texts)]))
    sections = [
        ("run", "What was run", results.what_was_run(data)),
        ("best", "Best tuples", results.best_tuples(data, reference)),
        ("failures", "Failures and timeouts", results.failures(data)),
        ("anytime", "Anytime curves", progress.anytime(data, reference)),
        ("target", "Time to target", progress.time_to_target(data)),
        ("differences", "Paired differences", results.differences(data, baseline)),
        ("ladders", "Ladders", inside.ladders(data)),
        ("families", "Families", inside.families(data)),
        ("distribution", "Crossings of edges", best.distribution(data, found, notes)),
        ("drawings", "Best drawings", best.pictures(data, found)),
    ]
    return page.page(f"lcn: {title}", introduction, sections), best.differing(found)
