"""Programs that are wrong: each marked line is one that type checkers refuse."""

import lazyarr as la

x = la.zeros(3)
la.evalute(x)  # wrong
la.sin()  # wrong
la.zeros()  # wrong
la.zeros(3, dtpye="f4")  # wrong
x.summ()  # wrong
x.sum(axs=0)  # wrong
la.random.nromal(3)  # wrong
la.special.erff(x)  # wrong
la.linalg.invv(x)  # wrong


@la.jit
def scaled(values: la.LazyArray, factor: float) -> la.LazyArray:
    return values * factor


scaled(x)  # wrong
scaled(x, 1.0, offest=2)  # wrong

la.set_config(threads="many")  # wrong
la.config(thread=1)  # wrong
