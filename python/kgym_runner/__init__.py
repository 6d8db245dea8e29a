"""The part of kgym's judge that must be Python: the zygote and the hosts it forks. Nothing here decides a verdict."""
