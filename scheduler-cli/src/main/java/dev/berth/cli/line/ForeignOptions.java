package dev.berth.cli.line;

import dev.berth.core.option.JobOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Options that users of Slurm, gflow, task-spooler, Docker or dstack type: what Berth calls otherwise, and what
 * it lacks. A line is for the options on its left, with a value of the form in its middle, none where that is empty; on
 * its right Berth's own options stand behind {@code =}, or a sentence. The first line that fits counts, so that the same
 * letter with another value may be a program's.
 */
final class ForeignOptions {
    private static final String LONG = "--";
    private static final String COLUMNS = " *:: *";

    /** For all commands that ask for GPUs. */
    private static final String JOBS = """
            -G --gpus --gpu --gpus-per-node --gpus-per-task -g :: \\d+ :: = --num-gpus $0
            -G --gpus --gpu --gpus-per-node --gpus-per-task :: ([A-Za-z][\\w-]*):(\\d+) :: = --num-gpus $2 --gpu-type $1
            --gres :: gpu :: = --num-gpus 1
            --gres :: gpu:(\\d+) :: = --num-gpus $1
            --gres :: gpu:([\\w-]+):(\\d+) :: = --num-gpus $2 --gpu-type $1
            -C --constraint :: [A-Za-z][\\w-]* :: = --gpu-label $0
            -J --job-name :: .+ :: = --name $0
            -l -L --label :: .+ :: = --tag $0
            -c --cpus-per-task :: \\d+ :: = --cpus $0
            --mem :: \\d+ :: = --memory $0m
            --mem :: \\d+[kKmMgGtT] :: = --memory $0
            -m :: \\d+(\\.\\d+)?[bkmgBKMG] :: = --memory $0
            -t :: \\d+ :: = --time $0m
            -t :: (\\d+):(\\d\\d) :: = --time $1m$2s
            -t :: (\\d+):(\\d\\d):(\\d\\d) :: = --time $1h$2m$3s
            -t :: (\\d+)-(\\d\\d?) :: = --time $1d$2h
            -t :: (\\d+)-(\\d\\d?):(\\d\\d) :: = --time $1d$2h$3m
            -t :: (\\d+)-(\\d\\d?):(\\d\\d):(\\d\\d) :: = --time $1d$2h$3m$4s
            -t --max-duration :: (\\d+[dhms])+ :: = --time $0
            -a :: \\d+[-,:%][\\d,:%-]* :: = --array $0
            -a :: \\d+[-,:%][\\d,:%-]* :: only submitted jobs are arrays; berth submit --array 0-31 queues one
            --array --repeat :: .+ :: only submitted jobs are arrays; berth submit --array 0-31 queues one
            -d :: (after|singleton).* :: = --dependency $0
            --kill-on-invalid-dep :: no :: = --keep-waiting
            --kill-on-invalid-dep :: yes :: a job whose dependency fails ends by default; leave it out
            --depends-on -d -D -W :: \\d+(,\\d+)* :: = --after $0
            --priority --qos :: .+ :: Berth has no priorities: jobs start in the order in which they were submitted
            -p :: [A-Za-z][\\w-]* :: Berth has one queue and no partitions; --gpu-type and --gpu-label choose among GPUs
            --partition --reservation :: .+ :: Berth has one queue and no partitions; --gpu-type and --gpu-label choose among GPUs
            -N :: \\d+(-\\d+)? :: a job runs on this machine alone, as one program; torchrun and the like start several
            -n :: \\d+ :: a job runs on this machine alone, as one program; torchrun and the like start several
            --nodes --nodelist --ntasks --ntasks-per-node :: .+ :: a job runs on this machine alone, as one program; torchrun and the like start several
            --mail-user :: [^\\s@,]+@[^\\s@,]+ :: = --notify end:mail:$0
            --mail-user :: .+ :: one whole address: --notify end,fail:mail:ADDRESS
            --mail-type :: .+ :: --notify MOMENT[,MOMENT]:mail:ADDRESS says when (start, end, fail) and to whom
            --exclusive :: :: a job has its GPUs to itself, and nobody has the machine
            -o :: .*(%|\\.(out|log|txt)$).* :: a job's log is kept, both streams; berth logs ID prints it
            --output --error :: .+ :: a job's log is kept, both streams; berth logs ID prints it
            -A --account :: [A-Za-z][\\w-]* :: Berth keeps no accounts; --project says what a job belongs to
            --begin :: .+ :: only submitted jobs wait for a date; at(1) starts a command later
            --after --dependency --depends-on -d :: (after.*|\\d+(,\\d+)*) :: only submitted jobs wait for others; berth wait ID && berth run ... does it here
            --deadline :: .+ :: Berth starts jobs by their turn; --time ends one
            -H --hold :: :: submit it, and berth hold ID sets it aside
            -D --chdir :: .+ :: a job runs in a copy of the directory that its line names
            --wrap :: .+ :: the command stands in the line itself; sh -- -c '...' runs it by a shell
            --export :: .+ :: -e NAME=VALUE gives the program a variable
            --mem-per-gpu --mem-per-cpu :: .+ :: --memory SIZE is for the whole job
            --conda-env :: .+ :: the command says so itself, as in: conda run -n NAME python train.py
            --target :: .+ :: berth submit TARGET <dir> <command> says where a job goes; berth run and berth lease use this machine alone
            --rerun-failed --retry-failed --resubmit-failed --failed :: :: berth resubmit --failed ID runs again what has not completed of an array or a sweep
            --spot --max-price :: :: this machine costs the same at any time
            """;

    /** For jobs in containers: what Docker has and Berth never does. */
    private static final String CONTAINERS = """
            --gpus :: :: use --num-gpus N; which ones is for the queue to say
            -d --detach :: :: jobs always run in the background; --follow stays and shows the log
            -i -t -it -ti --interactive --tty :: :: a job has no terminal; --follow shows its log
            --rm :: :: a job's container is always removed; its log and output are kept
            -u --user :: :: a job runs as the user who submits it
            --device :: :: a job sees the GPUs it asks for by --num-gpus and no other device
            --runtime :: :: the server chooses the runtime by --num-gpus
            --privileged --cap-add --security-opt :: :: a job never has more rights than its submitter
            --ipc :: :: a job never shares the machine's namespaces; --shm-size makes its /dev/shm larger
            --pid --uts --userns --cgroupns :: :: a job never shares the machine's namespaces
            --restart :: :: --retries 3 has a job started again that fails, --requeue one that the machine loses
            -p :: \\d+:\\d+ :: a job publishes no ports
            --publish :: :: a job publishes no ports
            --mount :: :: -v SOURCE:TARGET[:ro] mounts a directory
            """;

    /** For the runs of a sweep file: what is asked for in the file itself. */
    private static final String SWEEP_FILES = """
            --sweep --zip :: :: the file has the parameters; berth submit scheduler . main.py --sweep lr=0.1,0.01 needs no file
            --sample --seed :: :: the file has the runs, of which --experiment and --array choose; berth submit draws, with --sweep
            --repeat :: :: the file says it itself, as in repetitions: 5
            --repeat :: .+ :: the file says it itself, as in repetitions: 5
            """;

    private static final String OTHERS = "-v :: :: use --verbose to see what is being done\n";

    /**
     * The meaning of an option of another tool.
     *
     * @param option as it was typed, without its value
     * @param own Berth's own options for it; empty where there are none
     * @param sentence what is so instead; empty where there are
     * @param takesNext whether its value is the next word
     */
    record Meaning(String option, List<String> own, String sentence, boolean takesNext) {
        String clause() {
            return own.isEmpty()
                    ? option + " is no option of " + (isOfJobs() ? "this command: " : "Berth's: ") + sentence
                    : option + " is " + own.getFirst() + " in Berth";
        }

        /** Whether other jobs have an option of this long name. */
        private boolean isOfJobs() {
            return option.startsWith(LONG)
                    && Arrays.stream(JobOption.values())
                            .anyMatch(each -> each.names().contains(option));
        }
    }

    /** A line of the table. */
    private record Row(List<String> names, String form, String answer) {
        boolean isOwn() {
            return answer.startsWith("= ");
        }

        String ownName() {
            return answer.split(" ")[1];
        }

        /** Regular expressions are slow to load: only a line that is refused comes here. */
        private String whole() {
            return "(?s)^(?:" + form + ")$";
        }

        boolean fits(String value) {
            return value.matches(whole());
        }

        List<String> own(String value) {
            return Arrays.stream(answer.substring(2).split(" "))
                    .map(word -> value.replaceFirst(whole(), word))
                    .toList();
        }
    }

    private ForeignOptions() {}

    /**
     * The meaning of a word; null where it may be anything.
     *
     * @param next the word behind it, null for none
     * @param isOwn whether the command has an option of Berth's
     */
    static @Nullable Meaning of(String command, String word, @Nullable String next, Predicate<String> isOwn) {
        List<Row> rows = rows(command);
        int equals = word.indexOf('=');
        if (equals > 0) {
            return meaning(rows, word.substring(0, equals), word.substring(equals + 1), false, isOwn);
        }
        Meaning whole = meaning(rows, word, next, true, isOwn);
        boolean isAttached = whole == null && word.length() > 2 && !word.startsWith(LONG);
        return isAttached ? valued(rows, word.substring(0, 2), word.substring(2), false, isOwn) : whole;
    }

    private static @Nullable Meaning meaning(
            List<Row> rows, String name, @Nullable String value, boolean isNext, Predicate<String> isOwn) {
        Meaning valued = value == null ? null : valued(rows, name, value, isNext, isOwn);
        if (valued != null) {
            return valued;
        }
        String otherwise = null;
        for (Row row : rows) {
            if (row.names().contains(name) && row.form().isEmpty()) {
                return new Meaning(name, List.of(), row.answer(), false);
            }
            if (row.names().contains(name) && row.isOwn() && isOwn.test(row.ownName())) {
                otherwise = "use " + row.ownName();
            }
        }
        // A letter with a value of another form is a program's.
        return otherwise == null || !name.startsWith(LONG) ? null : new Meaning(name, List.of(), otherwise, false);
    }

    private static @Nullable Meaning valued(
            List<Row> rows, String name, String value, boolean isNext, Predicate<String> isOwn) {
        for (Row row : rows) {
            boolean isMeant =
                    row.names().contains(name) && !row.form().isEmpty() && (!row.isOwn() || isOwn.test(row.ownName()));
            if (isMeant && row.fits(value)) {
                return row.isOwn()
                        ? new Meaning(name, row.own(value), "", isNext)
                        : new Meaning(name, List.of(), row.answer(), isNext);
            }
        }
        return null;
    }

    private static List<Row> rows(String command) {
        String table = switch (command) {
            case "submit" -> JOBS + CONTAINERS;
            case "run", "lease" -> JOBS + OTHERS;
            case "sweep submit" -> SWEEP_FILES + JOBS + CONTAINERS;
            default -> OTHERS;
        };
        List<Row> rows = new ArrayList<>();
        for (String line : table.split("\n")) {
            String[] columns = line.split(COLUMNS, 3);
            rows.add(new Row(List.of(columns[0].split(" ")), columns[1], columns[2]));
        }
        return rows;
    }
}
