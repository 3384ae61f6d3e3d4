package dev.berth.server.runner.slurm;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Resources;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job, or tasks of an array, in the words of {@code sbatch}: its options, its script, and the file of each program. What a submitter
 * has written stands in the last alone, which only they can read: Slurm shows scripts and command lines to others.
 *
 * @param tasks the job alone, or tasks that Slurm gets as one array; they are the same but for their programs
 * @param needed what it waits for at Slurm, each as {@code --dependency} has it: {@code afterok:4711}
 */
record BatchScript(SlurmSettings settings, List<Handover> tasks, List<String> needed) {
    private static final long MEBI = 1 << 20;
    private static final int MILLI = 1000;
    private static final int SECONDS_A_MINUTE = 60;

    /** A word of Slurm's that can stand in an option: a type of GPU, a feature. */
    private static final Pattern WORD = Pattern.compile("[\\w.-]{1,100}");

    private static final Pattern IMAGE = Pattern.compile("[\\w/][\\w/.:@#+-]*");

    /** What only Slurm gives; a submitter's own would reach others' GPUs where no device is closed to the job. */
    private static final Set<String> OF_SLURM =
            Set.of("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL");

    /**
     * The shell that stands between Slurm and the program outlives all signals, so as to tell how the program ended. A second run
     * of the same job finds the directory {@code begun}, and does nothing.
     */
    private static final String BEGIN = """
        trap : HUP INT QUIT USR1 USR2 ALRM TERM
        cd -- "$BERTH_DIRECTORY" || exit 125
        if ! mkdir begun 2> /dev/null; then echo 'berth: this job has begun before' >&2; exit 125; fi
        (
        export PYTHONUNBUFFERED=1
        . ./program
        cd code || exit 125
        """;

    private static final String NO_GPU =
            "export CUDA_VISIBLE_DEVICES= NVIDIA_VISIBLE_DEVICES=void ROCR_VISIBLE_DEVICES=\n";

    /**
     * Tells how the program ended, with a word behind the code where a launcher has noted that it never began. A program may end with
     * the launcher's code, too, and then there is no such note.
     */
    private static final String END = """
        )
        code=$? why=
        if [ "$code" = 125 ] && [ -f unstarted ]; then read -r why < unstarted; fi
        echo "$code${why:+ $why}" > end.new && mv -f end.new end
        exit "$code"
        """;

    private Handover first() {
        return tasks.getFirst();
    }

    List<Handed> handed() {
        return tasks.stream().map(Handover::handed).toList();
    }

    boolean isArray() {
        return first().handed().task() != null;
    }

    /** Refuses what Slurm has no words for. */
    void check() {
        refusal(first().job().spec(), settings).ifPresent(sentence -> {
            throw refused(sentence);
        });
        tasks.stream()
                .flatMap(task -> task.program().environment().keySet().stream())
                .filter(name -> !ShellText.isName(name))
                .findFirst()
                .ifPresent(name -> {
                    throw refused("a variable for a job at Slurm has a name of letters, digits and _, and one has not");
                });
    }

    /** The reason why Slurm has no words for such a job. */
    static Optional<String> refusal(JobSpec spec, SlurmSettings settings) {
        GpuTraits traits = spec.resources().traits();
        if (spec.gpus().isShare()) {
            return Optional.of("Slurm gives whole GPUs, not " + spec.gpus().inWords() + "; ask for 1");
        }
        if (traits.memoryBytes() != null) {
            return Optional.of(
                    "Slurm does not know how much memory a GPU has; ask for a type of GPU instead (--gpu-type)");
        }
        if (traits.type() != null && !WORD.matcher(traits.type()).matches()) {
            return Optional.of("a type of GPU at Slurm is a word of letters, digits and _ . - (--gpu-type)");
        }
        if (!traits.labels().stream().allMatch(label -> WORD.matcher(label).matches())) {
            return Optional.of(
                    "a label is a feature of nodes at Slurm, a word of letters, digits and _ . - (--gpu-label)");
        }
        if (!IMAGE.matcher(spec.image()).matches() && settings.launcher().hasContainer()) {
            return Optional.of("the image's name has characters that no image has (--image)");
        }
        return Optional.empty();
    }

    private static EngineException refused(String sentence) {
        return new EngineException(Kind.REFUSED, sentence);
    }

    /** The command by which it is handed over, but for where its files are, and for the tasks of an array. */
    List<String> command() {
        List<String> words = new ArrayList<>(List.of("sbatch", "--parsable"));
        words.addAll(settings.options());
        add(words, "--partition=", settings.partition());
        add(words, "--account=", settings.account());
        add(words, "--qos=", settings.qos());
        words.addAll(resources(first().job().spec()));
        if (!needed.isEmpty()) {
            words.add("--dependency=" + String.join(",", needed));
            words.add("--kill-on-invalid-dep=yes");
        }
        words.addAll(List.of(
                "--job-name=" + first().handed().name(),
                "--no-requeue",
                // A second run of the same job has something to say, and nothing to take away.
                "--open-mode=append",
                "--export=NONE"));
        return words;
    }

    private static void add(List<String> words, String option, @Nullable String value) {
        if (value != null) {
            words.add(option + value);
        }
    }

    private static List<String> resources(JobSpec spec) {
        List<String> words = new ArrayList<>(List.of("--nodes=1", "--ntasks=1"));
        Resources resources = spec.resources();
        GpuRequest gpus = spec.gpus();
        if (!gpus.isNone()) {
            String type = resources.traits().type();
            words.add("--gres=gpu:" + (type == null ? "" : type + ":") + gpus.count());
        }
        if (!resources.traits().labels().isEmpty()) {
            words.add("--constraint=" + String.join("&", resources.traits().labels()));
        }
        if (resources.cpuMilli() != null) {
            words.add("--cpus-per-task=" + Math.max(1, Math.ceilDiv(resources.cpuMilli(), MILLI)));
        }
        if (resources.memoryBytes() != null) {
            words.add("--mem=" + Math.max(1, Math.ceilDiv(resources.memoryBytes(), MEBI)) + "M");
        }
        Duration time = spec.timeLimit();
        if (time != null) {
            // No more than that: a partition may allow just so much. Berth's own limit comes as soon, and knows the
            // seconds.
            words.add("--time=" + Math.ceilDiv(Math.max(1, time.toSeconds()), SECONDS_A_MINUTE));
        }
        return words;
    }

    /** The script, but for its first lines, which tell it the directory. */
    String text() {
        return BEGIN
                + "export BERTH_TRACK=\"$BERTH_DIRECTORY/" + SharedFiles.TRACK
                + "\" BERTH_OUTPUT_DIR=\"$BERTH_DIRECTORY/outputs\"\n"
                + (first().job().spec().gpus().isNone() ? NO_GPU : "")
                + Launchers.script(settings.launcher())
                + END;
    }

    /** The file that sets the environment and the arguments of a task's program. */
    String program(Handover handover) {
        Map<String, String> variables = new TreeMap<>(handover.program().environment());
        variables.keySet().removeIf(name -> OF_SLURM.contains(name) || name.startsWith("SLURM_"));
        variables.putAll(handover.environment());
        variables.put(
                "BERTH_NUM_GPUS", Integer.toString(handover.job().spec().gpus().count()));
        variables.put("BERTH_NAME", handover.handed().name());
        variables.put(
                "BERTH_IMAGE",
                Launchers.image(
                        settings.launcher().container(), handover.job().spec().image()));
        String parameters = handover.parameters().orElse(null);
        variables.put(
                "BERTH_VARIABLES",
                String.join(" ", variables.keySet()) + " BERTH_TRACK BERTH_OUTPUT_DIR"
                        + (parameters == null ? "" : " BERTH_PARAMS"));
        StringBuilder text = new StringBuilder();
        variables.forEach((name, value) -> text.append("export ")
                .append(name)
                .append('=')
                .append(ShellText.quoted(value))
                .append('\n'));
        if (parameters != null) {
            text.append("printf %s ")
                    .append(ShellText.quoted(parameters))
                    .append(" > parameters.json\nexport BERTH_PARAMS=\"$BERTH_DIRECTORY/parameters.json\"\n");
        }
        return text.append("set -- ")
                .append(ShellText.quoted(handover.program().command()))
                .append('\n')
                .toString();
    }
}
