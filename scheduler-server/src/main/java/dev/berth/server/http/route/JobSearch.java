package dev.berth.server.http.route;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.store.track.TrackLists.Tagged;
import dev.berth.server.track.Tracking;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that are looked for by {@code text} and {@code tag}. No index finds them: the jobs of a list are read piece by piece
 * in its own order, and each piece is looked through here, by the thread of the request. A page ends after so many jobs looked
 * at, so that a request takes as long with a million jobs as with one page of them.
 *
 * @param text in the number, the name, the project or a tag, in lower case as far as it is ASCII; null for any
 * @param tag which the job must have: its name, or name=value; null for any
 * @param caller who does not find what programs of others told
 */
record JobSearch(
        Tracking tracking, @Nullable String text, @Nullable String tag, Caller caller) {
    private static final int MAX_TEXT = 200;

    /** A name of 250 characters and a value of 4096. */
    private static final int MAX_TAG = 4_347;

    private static final int CASE = 'a' - 'A';

    /** What a request looks for. */
    static JobSearch of(Exchange exchange, Caller caller, Tracking tracking) {
        String text = asked(exchange, "text", MAX_TEXT);
        return new JobSearch(tracking, text == null ? null : lower(text), asked(exchange, "tag", MAX_TAG), caller);
    }

    /** A search that finds all jobs. */
    static JobSearch ofAll(Caller caller, Tracking tracking) {
        return new JobSearch(tracking, null, null, caller);
    }

    private static @Nullable String asked(Exchange exchange, String name, int max) {
        String value = exchange.query(name).orElse(null);
        if (value != null && (value.isEmpty() || value.length() > max)) {
            throw ApiException.field(name, PrintableText.of(value), "must have 1 to " + max + " characters");
        }
        return value;
    }

    /** Whether all jobs are meant. */
    boolean isAll() {
        return text == null && tag == null;
    }

    /** Those of a piece of a list that are meant, in the same order. */
    List<Job> those(List<Job> jobs) {
        String wanted = tag;
        List<Job> tagged = wanted == null ? jobs : tagged(jobs, wanted, true, wanted::equals);
        String part = text;
        if (part == null) {
            return tagged;
        }
        List<Job> others = tagged.stream().filter(job -> !isNamed(job, part)).toList();
        Set<JobId> byTag = tagged(others, part, false, tag -> lower(tag).contains(part)).stream()
                .map(Job::id)
                .collect(Collectors.toSet());
        return tagged.stream()
                .filter(job -> isNamed(job, part) || byTag.contains(job.id()))
                .toList();
    }

    private static boolean isNamed(Job job, String part) {
        return job.number().contains(part)
                || lower(job.spec().label().name()).contains(part)
                || lower(job.spec().label().project()).contains(part);
    }

    /** Those with such a tag. What a job was submitted with counts until it has been kept with what it tells. */
    private List<Job> tagged(List<Job> jobs, String tag, boolean isWhole, Predicate<String> isMeant) {
        List<JobId> own = jobs.stream()
                .filter(job -> Access.mayRead(caller, job))
                .map(Job::id)
                .toList();
        Tagged told = own.isEmpty() ? Tagged.NONE : tracking.queries().lists().tagged(own, tag, isWhole);
        return jobs.stream()
                .filter(job -> told.jobs().contains(job.id())
                        || (!told.given().contains(job.id())
                                && job.spec().label().tags().stream().anyMatch(isMeant)))
                .toList();
    }

    /** SQLite's {@code lower} does the same. */
    private static String lower(String text) {
        return text.codePoints()
                .map(letter -> letter >= 'A' && letter <= 'Z' ? letter + CASE : letter)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
