"""Which term of a formula is at fault, found from cases in which the other terms are silenced."""


def at_fault(cases):
    """The terms that make the difference between the cases that are right and those that are wrong.

    A term that plays a part in a right case is in order. A wrong case in which every term but one is in
    order has its fault in that one.

    Parameters
    ----------
    cases : list of (terms, right): the terms that are active in a case, and whether its answer is right.

    Returns
    -------
    list of terms, in the order in which the cases name them; empty when no term is in order, since then
    the fault may lie in what all of them share.

    >>> at_fault([(["input"], True), (["bias"], False), (["input", "bias"], False)])
    ['bias']
    """
    in_order = {term for terms, right in cases if right for term in terms}
    if not in_order:
        return []
    doubtful = [[term for term in terms if term not in in_order] for terms, right in cases if not right]
    return list(dict.fromkeys(terms[0] for terms in doubtful if len(terms) == 1))


def advice(terms):
    """The sentence for a student about the terms at fault; "" for none.

    >>> print(advice(["the bias"]))
    Look at the bias: every case in which it plays a part fails, and what stands beside it is right elsewhere.
    """
    if not terms:
        return ""
    it = "it plays" if len(terms) == 1 else "one of them plays"
    beside = "it" if len(terms) == 1 else "them"
    return (
        f"Look at {' and '.join(terms)}: every case in which {it} a part fails, "
        f"and what stands beside {beside} is right elsewhere."
    )
