package dev.berth.chaos;

import java.util.List;

/** A job's log against what its programs say that they wrote. */
final class LogLaws {
    /** What a daemon that ends may have read from a program and not written down. */
    private static final int LINES_IN_HAND = 5;

    private static final long AROUND_NANOS = 1_000_000_000L;

    /** What Berth says of a program that may have ended while no daemon was there. */
    private static final String ENDED_UNSEEN =
            "[berth: the container engine may have been away when this program ended;";

    /** What Berth says where a daemon that was killed does not have what came first. */
    private static final String BEGINS_LATER = "[berth: the container engine's own copy of this log begins later,";

    /** What Berth says where an engine, or the connection to it, ended in the middle of a start. */
    private static final String START_LOST =
            "[berth: the container engine, or the connection to it, ended while it was to start this program;";

    private final Violations violations;
    private long lines;
    private long lostByEngine;
    private long unseenByEngine;
    private long neverRead;

    /** Whether the log that is looked at says that its program may have ended unseen. */
    private boolean isMarked;

    LogLaws(Violations violations) {
        this.violations = violations;
    }

    /** How many lines were looked at. */
    long lines() {
        return lines;
    }

    /** How many lines a daemon took with it as it ended: the engine itself does not have them. */
    long lostByEngine() {
        return lostByEngine;
    }

    /** How many last lines of programs that ended while no daemon was there: the engine does not have these either. */
    long unseenByEngine() {
        return unseenByEngine;
    }

    /**
     * How many lines nobody could read: of a start that was lost with its daemon, and of a container that somebody removed
     * before the server had read on behind an outage of its daemon, or a cut of its connections.
     */
    long neverRead() {
        return neverRead;
    }

    /** Whether Berth says what may be missing. */
    static boolean isMark(String line) {
        return line.startsWith(START_LOST) || line.startsWith(ENDED_UNSEEN) || line.startsWith(BEGINS_LATER);
    }

    /** One stream of it: {@code out} or {@code err}. */
    void hold(Case job, String stream, List<String> kept) {
        // What Berth itself says between two attempts stands on a line of its own.
        List<String> log = kept.stream()
                .filter(line -> !line.isEmpty() && !line.matches("\\[berth: attempt \\d+ begins]"))
                .toList();
        boolean isSaid = kept.stream().anyMatch(line -> line.startsWith(START_LOST));
        isMarked = kept.stream().anyMatch(line -> line.startsWith(ENDED_UNSEEN));
        // The start that was lost may have noted nothing.
        boolean isTrue = job.starts().stream().anyMatch(start -> job.struck(start, Fault::losesStarts))
                || job.struckInItsLife(Fault::losesStarts);
        if (isTrue) {
            log = log.stream().filter(line -> !isMark(line)).toList();
        }
        int at = 0;
        for (Notes start : job.starts()) {
            int noted = start.lines(stream);
            String head = stream + " " + start.attempt() + " ";
            int number = 0;
            while (at < log.size() && isOf(job, stream, start, number + 1, log.get(at))) {
                int found = log.get(at).startsWith(head) ? number(log.get(at), head) : number + 1;
                missing(job, stream, start, number + 1, found - 1, isSaid);
                violations.unless(
                        found > number,
                        ChaosLaw.LINE_DOUBLED,
                        stream + " line " + found + " behind " + number + " of job " + job.number());
                torn(job, stream, start, found, log.get(at));
                number = Math.max(number, found);
                at++;
                lines++;
            }
            missing(job, stream, start, number + 1, noted, isSaid);
            // A signal may have come between a line and the count of it.
            violations.unless(
                    start.code().isEmpty() || number <= noted + (start.told() ? 1 : 0),
                    ChaosLaw.LINE_DOUBLED,
                    stream + " lines up to " + number + " of " + noted + " of job " + job.number());
        }
        violations.unless(
                at == log.size(),
                ChaosLaw.LINE_DOUBLED,
                stream + " of job " + job.number() + " goes on with what is not next: "
                        + (at < log.size() ? log.get(at) : ""));
    }

    /** Whether a line is of this start; a daemon that is killed may have lost the beginning of one, head and all. */
    private static boolean isOf(Case job, String stream, Notes start, int next, String kept) {
        String head = stream + " " + start.attempt() + " ";
        return kept.startsWith(head) || (!isMark(kept) && isTorn(job, stream, start, next, kept));
    }

    /** Whether a line lacks no more pieces than daemons ended while it was written. */
    private static boolean isTorn(Case job, String stream, Notes start, int line, String kept) {
        long ends = endsAt(job, stream, start, line, line);
        String written = written(job, stream + " " + start.attempt() + " ", line);
        return ends > 0 && Written.isTorn(kept, written, ends, line > start.lines(stream));
    }

    private static String written(Case job, String head, int number) {
        return Written.line(head, number, job.entry().wish().millis());
    }

    /** A daemon that is killed may lose a part of a line, and a program may end in the middle of one. */
    private void torn(Case job, String stream, Notes start, int line, String kept) {
        String written = written(job, stream + " " + start.attempt() + " ", line);
        if (Written.isKept(kept, written) || (line > start.lines(stream) && Written.isBegun(kept, written))) {
            return;
        }
        if (isTorn(job, stream, start, line, kept)) {
            lostByEngine++;
        } else {
            violations.add(ChaosLaw.LINE_MISSING, "part of " + stream + " line " + line + " of job " + job.number());
        }
    }

    private void missing(Case job, String stream, Notes start, int from, int to, boolean isSaid) {
        if (from > to) {
            return;
        }
        int count = to - from + 1;
        if (start.isPacked()) {
            notKept(job, stream, start, from, to);
        } else if (to == start.lines(stream) && endedUnseen(job, stream, start, from)) {
            unseenByEngine += count;
            violations.unless(
                    isMarked || (isSaid && job.startWasLost(start)),
                    ChaosLaw.LINE_MISSING,
                    "the log of job " + job.number() + " does not say that lines are missing");
        } else if (job.startWasLost(start)
                || (isSaid && job.struckAtBegin(start, Fault::losesStarts))
                || (to == start.lines(stream) && wentAtOnce(job, stream, start, from))) {
            neverRead += count;
        } else if (count <= LINES_IN_HAND * endsAt(job, stream, start, from, to)) {
            lostByEngine += count;
        } else {
            notKept(job, stream, start, from, to);
        }
    }

    private void notKept(Case job, String stream, Notes start, int from, int to) {
        violations.add(
                ChaosLaw.LINE_MISSING,
                stream + " lines " + from + " to " + to + " of attempt " + start.attempt() + " of " + job);
    }

    /**
     * How often the daemon ended when these lines were written; one that is told to end reads on for a second or two. It has
     * no hand in what tasks of a pack write to files.
     */
    private static long endsAt(Case job, String stream, Notes start, int from, int to) {
        if (start.isPacked()) {
            return 0;
        }
        return job.struck().stream()
                .filter(one -> one.fault().endsDaemon())
                .filter(one -> {
                    long begin = one.from() - AROUND_NANOS;
                    long end = one.fault().killsDaemon() ? one.from() + AROUND_NANOS : one.to();
                    return start.mayHaveWritten(stream, from, begin, end)
                            && start.mayHaveWritten(stream, to, begin, end);
                })
                .count();
    }

    /** Whether the program ended while no daemon was there, and this line was written then. */
    private static boolean endedUnseen(Case job, String stream, Notes start, int line) {
        return job.struck().stream()
                .filter(one -> one.fault().endsDaemon())
                .filter(one -> one.from() <= start.last() && start.last() <= one.to())
                .anyMatch(one -> start.mayHaveWritten(stream, line, one.from() - AROUND_NANOS, one.to()));
    }

    /**
     * Whether its container was removed right after the daemon, or the server's connection with it, was back, and this line
     * was written since that went.
     */
    private static boolean wentAtOnce(Case job, String stream, Notes start, int line) {
        return job.struck().stream()
                .filter(one -> one.fault() == Fault.CONTAINER_REMOVED && one.isOn(job.id()))
                .anyMatch(removed -> job.struck().stream()
                        .filter(one -> one.fault().endsDaemon() || one.fault() == Fault.ENGINE_CUT_OFF)
                        .filter(one -> one.overlaps(removed.from() - AROUND_NANOS, removed.to()))
                        .anyMatch(one -> start.mayHaveWritten(stream, line, one.from() - AROUND_NANOS, removed.to())));
    }

    private static int number(String line, String head) {
        int blank = line.indexOf(' ', head.length());
        String number = line.substring(head.length(), blank < 0 ? line.length() : blank);
        return number.matches("\\d{1,8}") ? Integer.parseInt(number) : 0;
    }
}
