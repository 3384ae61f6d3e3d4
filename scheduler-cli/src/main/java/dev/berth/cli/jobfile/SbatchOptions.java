package dev.berth.cli.jobfile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Options of {@code sbatch} (22.05) in the lines of a script, with Slurm's units: a number is minutes of time, or MB of
 * memory. A line of the table is for the options on its left with a value of the form in its middle, {@code -} for a flag; on its
 * right Berth's options stand behind {@code =}, nothing behind {@code ~} where it means nothing on one machine, or a
 * sentence why it is refused. The first line that fits counts.
 */
final class SbatchOptions {
    private static final String TABLE = """
            -G --gpus --gpus-per-node --gpus-per-task :: \\d+ :: = --num-gpus $0
            -G --gpus --gpus-per-node --gpus-per-task :: ([A-Za-z][\\w.-]*):(\\d+) :: = --num-gpus $2 --gpu-type $1
            --gres :: gpu :: = --num-gpus 1
            --gres :: gpu:(\\d+) :: = --num-gpus $1
            --gres :: gpu:([A-Za-z][\\w.-]*) :: = --num-gpus 1 --gpu-type $1
            --gres :: gpu:([A-Za-z][\\w.-]*):(\\d+) :: = --num-gpus $2 --gpu-type $1
            --gres :: none :: ~
            --gres :: .+ :: only GPUs are generic resources here, one kind of them a job
            -C --constraint :: [\\w.-]+ :: = --gpu-label $0
            -C --constraint :: .+ :: several features are several --gpu-label
            -J --job-name :: .+ :: = --name $0
            -c --cpus-per-task :: \\d+ :: = --cpus $0
            --mem :: 0+([kKmMgGtT][bB]?)? :: ~
            --mem :: \\d+ :: = --memory $0m
            --mem :: (\\d+[kKmMgGtT])[bB]? :: = --memory $1
            -t --time :: (?i)0|UNLIMITED|INFINITE :: ~
            -t --time :: \\d+ :: = --time $0m
            -t --time :: (\\d+):(\\d\\d?) :: = --time $1m$2s
            -t --time :: (\\d+):(\\d\\d?):(\\d\\d?) :: = --time $1h$2m$3s
            -t --time :: (\\d+)-(\\d\\d?) :: = --time $1d$2h
            -t --time :: (\\d+)-(\\d\\d?):(\\d\\d?) :: = --time $1d$2h$3m
            -t --time :: (\\d+)-(\\d\\d?):(\\d\\d?):(\\d\\d?) :: = --time $1d$2h$3m$4s
            -a --array :: .+ :: = --array $0
            -d --dependency :: .+ :: = --dependency $0
            --kill-on-invalid-dep :: no :: = --keep-waiting
            --kill-on-invalid-dep :: yes :: ~
            -b --begin :: now :: ~
            -b --begin :: now\\+(\\d+)(seconds?)? :: = --begin +$1s
            -b --begin :: now\\+(\\d+)minutes? :: = --begin +$1m
            -b --begin :: now\\+(\\d+)hours? :: = --begin +$1h
            -b --begin :: now\\+(\\d+)days? :: = --begin +$1d
            -b --begin :: now\\+(\\d+)weeks? :: --begin takes days: now+7days for a week
            -b --begin :: .+ :: = --begin $0
            --requeue :: - :: = --requeue
            --export :: ALL|NONE|NIL :: ~
            --export :: (?:(?:ALL|NONE|NIL),)?([A-Za-z_]\\w*=[^,]*(?:,[A-Za-z_]\\w*=[^,]*)*) :: = -e $1...
            --export :: .+ :: a container has no variables of yours to pass on; --export=NAME=VALUE,NAME=VALUE gives it some
            -N --nodes -n --ntasks --ntasks-per-node --ntasks-per-gpu --ntasks-per-core --ntasks-per-socket :: 1(-1)? :: ~
            -N --nodes -n --ntasks --ntasks-per-node --ntasks-per-gpu --ntasks-per-core --ntasks-per-socket :: .+ :: a job runs on one machine, as one program; torchrun and the like start several
            -w --nodelist -F --nodefile :: .+ :: a job runs on this machine alone
            --mem-per-cpu --mem-per-gpu :: .+ :: --mem is for the whole job
            --cpus-per-gpu :: .+ :: --cpus-per-task is for the whole job
            -B --extra-node-info :: .+ :: --cpus-per-task says how many cores a job has
            -D --chdir :: \\.|\\./ :: ~
            -D --chdir :: .+ :: a job runs in a copy of the directory that is submitted
            -i --input :: /dev/null :: ~
            -i --input :: .+ :: a job's standard input is empty; read the file in the script
            --wrap :: .+ :: a script has its command itself
            --container :: .+ :: #BERTH --image IMAGE names the image of a job
            --deadline :: .+ :: Berth starts jobs by their turn; --time ends one
            --signal :: B:(?:SIG)?(\\w+) :: = --signal $1@60s
            --signal :: B:(?:SIG)?(\\w+)@(\\d+) :: = --signal $1@$2s
            --signal :: .+ :: a signal goes to the script itself here, as in --signal=B:USR1@300; trap passes it on
            -L --licenses :: .+ :: Berth counts no licences
            --export-file :: .+ :: #BERTH --env-file FILE reads variables from a file
            -H --hold :: - :: submit it, and berth hold ID sets it aside
            -o --output -e --error -p --partition -A --account -q --qos -x --exclude -M --clusters -m --distribution :: .+ :: ~
            -S --core-spec --acctg-freq --bb --bbf --cluster-constraint --comment --cores-per-socket --cpu-freq :: .+ :: ~
            --delay-boot --gid --uid --gpu-bind --gpu-freq --gres-flags --hint --mail-type --mail-user --mcs-label :: .+ :: ~
            --mem-bind --mincpus --network --open-mode --power --prefer --priority --profile --propagate :: .+ :: ~
            --reservation --sockets-per-node --switches --thread-spec --threads-per-core --time-min --tmp :: .+ :: ~
            --wait-all-nodes --wckey :: .+ :: ~
            --nice --exclusive --get-user-env :: -|.+ :: ~
            --contiguous -k --no-kill --ignore-pbs -O --overcommit -s --oversubscribe --parsable -Q --quiet :: - :: ~
            --reboot --no-requeue --spread-job --use-min-nodes -v --verbose -W --wait --test-only :: - :: ~
            """;

    private static final String COLUMNS = " :: ";
    private static final String NO_VALUE = "-";

    /** The end of an answer whose option is given once for each value between commas. */
    private static final String EACH = "...";

    /**
     * The meaning of an option.
     *
     * @param own Berth's own words for it; empty where there are none
     * @param refusal why it is refused; empty where it is not
     */
    record Meaning(List<String> own, String refusal) {
        boolean isNothing() {
            return own.isEmpty() && refusal.isEmpty();
        }
    }

    private record Row(List<String> names, String form, String answer) {
        private String whole() {
            return "(?s)^(?:" + form + ")$";
        }

        boolean fits(@Nullable String value) {
            return value == null ? !needsValue() : !isFlag() && value.matches(whole());
        }

        boolean isFlag() {
            return form.equals(NO_VALUE);
        }

        boolean needsValue() {
            return !form.startsWith(NO_VALUE);
        }

        Meaning meaning(@Nullable String value) {
            if (!answer.startsWith("= ")) {
                return new Meaning(List.of(), answer.equals("~") ? "" : answer);
            }
            if (answer.endsWith(EACH)) {
                String[] words = answer.split(" ");
                String values = String.valueOf(value).replaceFirst(whole(), words[2].replace(EACH, ""));
                return new Meaning(
                        Arrays.stream(values.split(","))
                                .flatMap(one -> Stream.of(words[1], one))
                                .toList(),
                        "");
            }
            List<String> own = Arrays.stream(answer.substring(2).split(" "))
                    .map(word -> value == null ? word : value.replaceFirst(whole(), word))
                    .toList();
            return new Meaning(own, "");
        }
    }

    private final List<Row> rows = new ArrayList<>();

    SbatchOptions() {
        for (String line : TABLE.split("\n")) {
            String[] columns = line.split(COLUMNS, 3);
            rows.add(new Row(List.of(columns[0].split(" ")), columns[1], columns[2]));
        }
    }

    /** All names, in the order of the table. */
    List<String> names() {
        return rows.stream().flatMap(row -> row.names().stream()).distinct().toList();
    }

    /** The names that stand for one of Berth's options in some form. */
    List<String> namesFor(String own) {
        return rows.stream()
                .filter(row -> List.of(row.answer().split(" ")).contains(own)
                        && row.answer().startsWith("="))
                .flatMap(row -> row.names().stream())
                .distinct()
                .toList();
    }

    boolean isKnown(String name) {
        return rows.stream().anyMatch(row -> row.names().contains(name));
    }

    /** The one name that stands for all of an option's: its long one, which the table has behind the short one. */
    String longName(String name) {
        if (name.equals("--no-requeue")) {
            return "--requeue";
        }
        return rows.stream()
                .map(Row::names)
                .filter(names -> !name.startsWith("--") && names.contains(name))
                .map(names -> names.get(names.indexOf(name) + 1))
                .findFirst()
                .orElse(name);
    }

    /** Whether its value is the next word where none is joined to it. */
    boolean takesNext(String name) {
        return rows.stream().anyMatch(row -> row.names().contains(name) && row.needsValue());
    }

    boolean isFlag(String name) {
        return rows.stream().anyMatch(row -> row.names().contains(name) && row.isFlag());
    }

    /** The meaning of an option with a value, null for none; null where the value has none of its forms. */
    @Nullable
    Meaning meaning(String name, @Nullable String value) {
        for (Row row : rows) {
            if (row.names().contains(name) && row.fits(value)) {
                return row.meaning(value);
            }
        }
        return null;
    }
}
