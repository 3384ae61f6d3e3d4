package dev.berth.core.machine;

/**
 * The rules of how strictly jobs follow each other. Whatever is chosen, they are given what they ask for in the order
 * in which they were accepted, but for those that are passed.
 *
 * @param passesPulling whether a job whose image is not here yet lets the ones behind it by; it keeps its place
 * @param startsOneByOne whether a job is given its turn only once the program of the one before it has started. Else
 *     launches overlap, and programs may begin out of order by the time that a launch takes
 * @param dropsUnfit whether a queued job that this server can never run fails. Else it is set aside until a server is
 *     started that can: a start without some of the GPUs may be a slip
 */
public record QueueRules(boolean passesPulling, boolean startsOneByOne, boolean dropsUnfit) {
    /** Nobody is passed, launches overlap, and nothing is thrown away. */
    public static final QueueRules STRICT = new QueueRules(false, false, false);
}
