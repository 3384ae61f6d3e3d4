package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** How often a job was tried again, and how its earlier attempts ended, as the server says, against what they noted. */
final class RetryLaws {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final Violations violations;

    RetryLaws(Violations violations) {
        this.violations = violations;
    }

    void hold(Case job) {
        holdCount(job);
        job.earlier().forEach(attempt -> holdCause(job, attempt));
        List<Notes> starts = job.starts();
        for (int at = 0; at + 1 < starts.size(); at++) {
            holdEnd(job, starts.get(at), starts.get(at + 1));
        }
    }

    /** As often as asked where each attempt failed, and never more often. */
    private void holdCount(Case job) {
        int most = job.entry().wish().retries().most();
        int retried = job.retried().size();
        boolean hasFailed = job.state().equals("FAILED") && hasExited(job.view());
        violations.unless(
                retried <= most && (!hasFailed || retried == most),
                ChaosLaw.RETRY,
                retried + " retries, and not " + most + ": " + job);
    }

    private static boolean hasExited(JsonNode end) {
        return end.path("reason").asText().equals("EXITED_NONZERO");
    }

    /** It had failed, or was lost and was to be queued again then. */
    private void holdCause(Case job, JsonNode attempt) {
        boolean isTrue = attempt.path("retried").asBoolean()
                ? attempt.path("state").asText().equals("FAILED") && hasExited(attempt)
                : attempt.path("state").asText().equals("LOST")
                        && job.entry().wish().requeue();
        violations.unless(isTrue, ChaosLaw.RETRY, "it began again behind " + attempt + ": " + job);
    }

    /** The server tells of the end of each attempt as its program did, and the next one comes no earlier than it should. */
    private void holdEnd(Case job, Notes start, Notes next) {
        Optional<JsonNode> told = job.earlier()
                .filter(attempt -> attempt.path("attempt").asInt() == start.attempt())
                .findFirst();
        if (told.isEmpty()) {
            violations.add(ChaosLaw.RETRY, "its attempt " + start.attempt() + " is not told of: " + job);
            return;
        }
        violations.unless(
                isEnd(job, start, told.get()),
                ChaosLaw.RETRY,
                "its attempt " + start.attempt() + " ended otherwise than " + told.get() + ": " + job);
        long delay = told.get().path("retried").asBoolean()
                ? job.entry().wish().retries().delaySeconds() * SECOND_NANOS
                : 0;
        violations.unless(
                next.begin() + Case.SLACK_NANOS >= start.last() + delay,
                ChaosLaw.RETRY,
                "its attempt " + next.attempt() + " began too early: " + job);
    }

    private static boolean isEnd(Case job, Notes start, JsonNode told) {
        if (told.path("state").asText().equals("LOST")) {
            return EndLaws.mayBeLost(job, start, told);
        }
        JsonNode exitCode = told.path("exitCode");
        boolean isOwn = exitCode.isInt() && start.code().equals(OptionalInt.of(exitCode.asInt()));
        return isOwn || EndLaws.endedFromOutside(job, start);
    }
}
