package dev.berth.core.machine;

/** A queue with workers of its own, strictly first in, first out in itself. */
public enum Lane {
    /** Every job, or with CPU workers every job that asks for a GPU. */
    MAIN,
    /** With CPU workers: the jobs that ask for no GPU. */
    CPU,
    /** The jobs that are handed over to targets beyond this machine, which hold nothing of it. */
    TARGET
}
