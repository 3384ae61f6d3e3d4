package dev.berth.core.job;

/** How far a program is with the signal that comes before its time limit; its attempt's own, so that each has its signal. */
public enum SignalState {
    /** It is not due, or there is none. */
    NOT_DUE,
    /** Due and owed: nobody knows yet that it was sent. */
    DUE,
    /** It was sent, and is not sent again. */
    SENT
}
