package dev.berth.cli.jobfile;

import dev.berth.cli.line.OptionLayer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Job as a file describes it.
 *
 * @param name of the file, as the user wrote it
 * @param options those that it gives
 * @param command the program's words; empty where it has none
 * @param commandPlace the file and the line of the command; empty where it has none
 * @param directory the directory to send; null where it has none
 * @param target where it goes; null where it does not say
 * @param jobs several jobs under names, for which all else counts where they say nothing; none for a single job
 * @param ignored what of it means nothing to Berth, a clause for people; empty for nothing
 */
public record JobFile(
        String name,
        OptionLayer options,
        List<String> command,
        String commandPlace,
        @Nullable Directory directory,
        @Nullable Target target,
        List<Named> jobs,
        String ignored) {
    public JobFile {
        command = List.copyOf(command);
        jobs = List.copyOf(jobs);
    }

    /**
     * The directory to send.
     *
     * @param place the file and the line that name it
     */
    public record Directory(Path path, String place) {}

    /**
     * Target of a job.
     *
     * @param place the file and the line that name it
     */
    public record Target(String name, String place) {}

    /**
     * One of several jobs.
     *
     * @param place the file and the line of its name
     */
    public record Named(String name, String place, JobFile job) {}
}
