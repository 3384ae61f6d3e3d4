package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;

/** How a job ended, as the server says, against what its program noted and what struck it. */
final class EndLaws {
    private static final int SIGNALLED = 128;

    /** How long after the end of a daemon a start that it broke off may be given up. */
    private static final Duration IN_THE_MIDDLE = Duration.ofSeconds(60);

    private static final Duration EARLY = Duration.ofMillis(50);
    private static final Duration LATE = Duration.ofSeconds(3);

    private final Violations violations;

    EndLaws(Violations violations) {
        this.violations = violations;
    }

    void hold(Case job) {
        if (!job.isOver() || job.sentence().isBlank()) {
            violations.add(ChaosLaw.JOB_LOST, job.toString());
            return;
        }
        switch (job.state()) {
            case "COMPLETED", "FAILED" -> {
                if (!job.failedByDependency()) {
                    exited(job);
                }
            }
            case "LOST" -> violations.unless(mayBeLost(job), ChaosLaw.JOB_LOST, "lost for no reason: " + job);
            case "CANCELLED" ->
                violations.unless(job.entry().cancelTried(), ChaosLaw.JOB_LOST, "nobody cancelled it: " + job);
            case "TIMEOUT" ->
                violations.unless(
                        job.entry().wish().limitSeconds() > 0, ChaosLaw.JOB_LOST, "it had no time limit: " + job);
            default -> violations.add(ChaosLaw.JOB_LOST, job.toString());
        }
        job.entry().cancelled().ifPresent(at -> {
            // With an array those of its tasks are cancelled that have not ended.
            boolean hadEnded = job.isTask() && job.hadEnded(at);
            violations.unless(
                    hadEnded || job.state().equals("CANCELLED"),
                    ChaosLaw.JOB_LOST,
                    "its cancel was acknowledged: " + job);
        });
    }

    /** Nobody removed it, and no engine that ended took it along: then nothing is lost. */
    private static boolean mayBeLost(Case job) {
        if (job.entry().wish().requeue()) {
            return false;
        }
        return job.lastHasRun()
                ? mayBeLost(job, job.starts().getLast(), job.view())
                : job.struckBefore(job.view(), IN_THE_MIDDLE, Fault::losesStarts) || job.struck(Fault::endsJobs);
    }

    /** The same of one of its attempts, whose end the server tells of so. */
    static boolean mayBeLost(Case job, Notes last, JsonNode end) {
        String sentence = end.path("sentence").asText();
        boolean byItself = last.code().isPresent() && !last.told() && !endedWithPack(job, last);
        // A daemon that was killed may not know how a program ended meanwhile, and then says so.
        // Nor one that was told to end, of what it started after that.
        boolean isUnknown = sentence.contains("says 255")
                && (job.struck(last, Fault::killsDaemon) || job.struckAtBegin(last, Fault::endsDaemon));
        // Nor whether one began that it was to start; the sentence of one in whose start it ended.
        boolean inTheMiddle = sentence.contains("ended while it was to start")
                && job.struckBefore(end, IN_THE_MIDDLE, Fault::losesStarts);
        return isUnknown || inTheMiddle || (!byItself && endedFromOutside(job, last));
    }

    /**
     * Whether something is known to have ended a program, as the removal of its container does first. An engine with live-restore leaves containers alone unless none
     * runs when it is told to end: then it ends one that is just being started, too.
     */
    static boolean endedFromOutside(Case job, Notes start) {
        return job.struck(start, fault -> fault.endsJobs() || fault == Fault.CONTAINER_REMOVED)
                || job.struckAtBegin(start, fault -> fault == Fault.ENGINE_STOPPED_KEEPING);
    }

    /** Whether its pack was ended when its program ended by itself, so that nobody could tell of that any more. */
    private static boolean endedWithPack(Case job, Notes start) {
        return start.isPacked()
                && job.struckAtEnd(start, fault -> fault.endsJobs() || fault == Fault.CONTAINER_REMOVED);
    }

    private void exited(Case job) {
        JsonNode exitCode = job.view().path("exitCode");
        if (!exitCode.isInt()) {
            violations.add(ChaosLaw.JOB_LOST, "it was not to fail: " + job);
            return;
        }
        if (!job.lastHasRun()) {
            // An engine that ends may take a container with it before its program can note anything.
            violations.unless(
                    exitCode.asInt() >= SIGNALLED
                            && (job.struck(Fault::endsJobs)
                                    || job.struck(fault -> fault == Fault.ENGINE_STOPPED_KEEPING)),
                    ChaosLaw.JOB_LOST,
                    "its program never ran: " + job);
            return;
        }
        Notes last = job.starts().getLast();
        boolean endedFromOutside = endedFromOutside(job, last);
        if (last.code().isEmpty()) {
            // A daemon that is killed as the program ends has forgotten the code, and says 0.
            boolean forgotten = exitCode.asInt() == 0 && job.struck(Fault::killsDaemon);
            violations.unless(
                    (exitCode.asInt() >= SIGNALLED || forgotten) && endedFromOutside,
                    ChaosLaw.WRONG_END,
                    "its program did not end by itself: " + job);
        } else {
            own(job, last, exitCode.asInt(), endedFromOutside);
        }
    }

    /** The program ended by itself. */
    private void own(Case job, Notes last, int exitCode, boolean endedFromOutside) {
        boolean same = exitCode == last.code().getAsInt();
        violations.unless(same || endedFromOutside, ChaosLaw.WRONG_END, "not its exit code: " + job);
        violations.unless(
                exitCode == job.entry().wish().code(last.attempt()) || endedFromOutside,
                ChaosLaw.WRONG_END,
                "not its own end: " + job);
        // What ends while the daemon is away, the engine itself gives a time of its own.
        if (!job.struck(last, fault -> fault.endsDaemon() || fault == Fault.ENGINE_FROZEN)) {
            Instant noted = Instant.ofEpochSecond(0, last.lastWall());
            Instant told = Instant.parse(job.view().path("endedAt").asText());
            violations.unless(
                    told.isAfter(noted.minus(EARLY)) && told.isBefore(noted.plus(LATE)),
                    ChaosLaw.WRONG_END,
                    "it ended at " + noted + ", and not at " + told + ": " + job);
        }
    }
}
