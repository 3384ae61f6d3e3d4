package dev.berth.server.runner.slurm;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code scancel} and {@code scontrol} say where they could not change some of the jobs that they were named. All others are
 * changed then.
 */
final class Complaints {
    private static final String ID = "(?<id>\\d+(?:_[\\w\\[\\],-]+)?)";

    /** Of {@code scancel}; of {@code scontrol} about a job, and about a task of an array. */
    private static final List<Pattern> FORMS = List.of(
            Pattern.compile("scancel: error: Kill job error on job id " + ID + ": (?<words>.+)"),
            Pattern.compile("(?<words>[^:]+) for job " + ID),
            Pattern.compile(ID + ": (?<words>.+)"));

    /** A last line of {@code scontrol} with the last of its errors, or with none. */
    private static final Pattern LAST = Pattern.compile("slurm_[a-z_]+ error: .*");

    private Complaints() {}

    /** The words about each job of which there are some; empty where something is said that is about none. */
    static Optional<Map<String, String>> in(String error) {
        Map<String, String> words = new HashMap<>();
        for (String line : error.lines().toList()) {
            Optional<Matcher> found = FORMS.stream()
                    .map(form -> form.matcher(line))
                    .filter(Matcher::matches)
                    .findFirst();
            if (found.isPresent()) {
                words.put(found.get().group("id"), found.get().group("words"));
            } else if (words.isEmpty() || !LAST.matcher(line).matches()) {
                return Optional.empty();
            }
        }
        return words.isEmpty() ? Optional.empty() : Optional.of(words);
    }
}
