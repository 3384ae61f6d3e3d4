package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Tasks;
import dev.berth.core.option.Forms;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.JobNumber;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.store.JobQueries;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a submitted job is to wait for, checked. A job waits for those of its own submitter alone. */
public record PrerequisiteOptions(JobQueries queries) {
    private static final Instant LATEST = Instant.parse("3000-01-01T00:00:00Z");

    Prerequisites of(OptionValues asked, @Nullable Tasks tasks, Caller caller, boolean isRepeated) {
        List<@Nullable String> texts = asked.texts(JobOption.DEPENDENCY);
        if (texts.size() > Prerequisites.MAX_DEPENDENCIES) {
            throw refused(
                    texts.size() + " dependencies",
                    "must be at most " + Prerequisites.MAX_DEPENDENCIES + "; wait for a job that waits for them");
        }
        Set<Dependency> dependencies = new LinkedHashSet<>();
        for (@Nullable String text : texts) {
            dependencies.add(dependency(text == null ? "" : text, tasks, caller, isRepeated));
        }
        boolean keepWaiting = asked.has(JobOption.KEEP_WAITING);
        if (keepWaiting && dependencies.isEmpty()) {
            throw ApiException.field(
                    JobOption.KEEP_WAITING.field(), "true", "goes with jobs to wait for; name some, or leave it out");
        }
        return new Prerequisites(
                begin(asked.get(JobOption.BEGIN, String.class)), List.copyOf(dependencies), keepWaiting);
    }

    private Dependency dependency(String text, @Nullable Tasks tasks, Caller caller, boolean isRepeated) {
        int colon = text.indexOf(':');
        Optional<DependencyKind> kind = DependencyKind.of(colon < 0 ? text : text.substring(0, colon));
        String written = text.substring(colon + 1);
        Optional<JobNumber> number = JobNumber.parse(written);
        if (kind.isEmpty() || colon < 0 || number.isEmpty()) {
            throw refused(
                    PrintableText.of(text),
                    "must be one of " + String.join(", ", Forms.DEPENDENCIES)
                            + " with a job's id, such as afterok:12, or a task's, such as afterok:12_7");
        }
        // Of a repeated submit nobody looks at what it waits for.
        if (isRepeated) {
            return new Dependency(kind.get(), number.get().job());
        }
        Job other = own(text, written, number.get(), caller);
        if (kind.get() == DependencyKind.AFTER_CORR) {
            requirePairs(text, tasks, other);
        }
        return Dependency.of(kind.get(), other);
    }

    /** Each task has one to wait for, and none of the other's is forgotten. */
    private static void requirePairs(String text, @Nullable Tasks tasks, Job other) {
        Tasks others = other.spec().tasks();
        if (tasks == null || !other.isArray() || others == null) {
            String which = tasks == null ? "this is none (--array)" : "job " + other.number() + " is none";
            throw refused(text, "is of two arrays, and " + which + "; afterok waits for a job or a whole array");
        }
        if (!tasks.all().equals(others.all())) {
            throw refused(
                    text,
                    "is of two arrays with the same indices: array " + other.number() + " has " + others.all()
                            + ", this one " + tasks.all() + "; afterok waits for the whole array");
        }
        if (tasks.all().size() > Prerequisites.MAX_TASK_BY_TASK) {
            throw refused(
                    text,
                    "is of arrays of at most " + Prerequisites.MAX_TASK_BY_TASK + " tasks, not "
                            + tasks.all().size() + "; afterok waits for the whole array");
        }
    }

    /** Of others' jobs nobody learns by waiting for them how they ended, or that they are there. */
    private Job own(String text, String written, JobNumber number, Caller caller) {
        Job job = number.find(queries)
                .filter(found -> Access.sees(caller, found))
                .orElseThrow(() ->
                        refused(text, "names job " + written + ", which is not there; berth ps -a lists your jobs"));
        if (job.owner().uid() != caller.uid()) {
            throw refused(
                    text,
                    "names job " + written + " of another user; a job waits for those of its own submitter alone");
        }
        return job;
    }

    /** The refusal of a job to wait for that was there a moment ago. */
    public static ApiException gone(JobId job) {
        return refused(job.toString(), "was deleted just now; leave it out");
    }

    private static @Nullable Instant begin(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            Instant begin = OffsetDateTime.parse(text).toInstant();
            if (begin.isAfter(Instant.EPOCH) && begin.isBefore(LATEST)) {
                return begin;
            }
        } catch (DateTimeException notADate) {
            throw noDate(text);
        }
        throw noDate(text);
    }

    private static ApiException noDate(String text) {
        return ApiException.field(
                JobOption.BEGIN.field(),
                PrintableText.of(text),
                "must be a date with its zone, such as 2026-12-01T08:00:00Z, before the year 3000");
    }

    private static ApiException refused(String value, String rule) {
        return ApiException.field(JobOption.DEPENDENCY.field(), value, rule);
    }
}
