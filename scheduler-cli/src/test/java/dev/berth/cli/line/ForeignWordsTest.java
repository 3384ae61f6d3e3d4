package dev.berth.cli.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.command.Verbs;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options and commands of other tools: what is Berth's by another name, what Berth lacks, and what may be a program's. */
class ForeignWordsTest {
    private static final String BEHIND = " (behind -- options are the program's)";

    private static List<String> split(String line) {
        return List.of(line.split(" "));
    }

    private static String refusal(String command, String line) {
        try {
            Arguments _ = LineReader.read(Verbs.of(command), split(line));
        } catch (Failure refused) {
            assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
            return refused.error().message();
        }
        return "";
    }

    /** The options of others, behind a program and its words, and Berth's own for them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-G 1                       | --num-gpus 1",
                "-G1                        | --num-gpus 1",
                "-G a100:2                  | --num-gpus 2 --gpu-type a100",
                "--gpus 2                   | --num-gpus 2",
                "--gpus=2                   | --num-gpus 2",
                "--gpus a100:2              | --num-gpus 2 --gpu-type a100",
                "--gres gpu:2               | --num-gpus 2",
                "--gres=gpu:a100:2          | --num-gpus 2 --gpu-type a100",
                "--gpus-per-node 4          | --num-gpus 4",
                "--gpu 1                    | --num-gpus 1",
                "-t 30                      | --time 30m",
                "-t 1:30:00                 | --time 1h30m00s",
                "-t 2-12                    | --time 2d12h",
                "-t 1-00:30:00              | --time 1d00h30m00s",
                "--mem 16G                  | --memory 16G",
                "--mem=16000                | --memory 16000m",
                "-m 16g                     | --memory 16g",
                "-c 4                       | --cpus 4",
                "--cpus-per-task=8          | --cpus 8",
                "-J test                    | --name test",
                "--job-name test            | --name test",
                "--constraint a100          | --gpu-label a100",
                "--label A                  | --tag A",
                "-a 1-10%2                  | --array 1-10%2",
                "-a1,3                      | --array 1,3",
                "-d afterok:12              | --dependency afterok:12",
                "-dafterany:12:13           | --dependency afterany:12:13",
                "--depends-on 12            | --after 12",
                "--mail-user=ada@example.org | --notify end:mail:ada@example.org",
                "-D 12,13                   | --after 12,13",
            })
    void whatAnotherToolCallsSoIsToldAsBerthCallsIt(String foreign, String own) {
        String first = split(foreign).getFirst();
        String name = first.startsWith("--") ? first.replaceFirst("=.*", "") : first.substring(0, 2);
        assertThat(refusal("submit", "scheduler . train.py " + foreign))
                .isEqualTo(name + " is " + split(own).getFirst() + " in Berth: berth submit " + own
                        + " scheduler . train.py" + BEHIND);
    }

    @Test
    void aCorrectedLineKeepsWhatWasRightAndWhatIsTheProgrammes() {
        assertThat(refusal("submit", "-G 1 scheduler . train.py --follow -t 90 --lr 0.1 -- --x"))
                .isEqualTo("-G is --num-gpus in Berth; -t is --time in Berth: berth submit --follow --num-gpus 1 --time"
                        + " 90m scheduler . -- train.py --lr 0.1 --x" + BEHIND);
        assertThat(refusal("run", "-G 2 python train.py"))
                .isEqualTo("-G is --num-gpus in Berth: berth run --num-gpus 2 python train.py" + BEHIND);
        for (String array : List.of("--array 0-3", "-a 0-3", "--repeat 4")) {
            assertThat(refusal("run", array + " python train.py"))
                    .isEqualTo(split(array).getFirst() + " is no option of "
                            + (array.startsWith("--") ? "this command" : "Berth's")
                            + ": only submitted jobs are arrays;"
                            + " berth submit --array 0-31 queues one" + BEHIND);
        }
        assertThat(refusal("lease", "--gpus 2")).isEqualTo("--gpus is --num-gpus in Berth: berth lease --num-gpus 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--priority 5       | Berth has no priorities: jobs start in the order in which they were submitted",
                "--qos high         | Berth has no priorities: jobs start in the order in which they were submitted",
                "-p gpu             | Berth has one queue and no partitions; --gpu-type and --gpu-label choose among GPUs",
                "--partition=gpu    | Berth has one queue and no partitions; --gpu-type and --gpu-label choose among GPUs",
                "-N 1               | a job runs on this machine alone, as one program; torchrun and the like start several",
                "-n 4               | a job runs on this machine alone, as one program; torchrun and the like start several",
                "--ntasks 4         | a job runs on this machine alone, as one program; torchrun and the like start several",
                "--nodes=1          | a job runs on this machine alone, as one program; torchrun and the like start several",
                "--mail-type END    | --notify MOMENT[,MOMENT]:mail:ADDRESS says when (start, end, fail) and to whom",
                "--mail-user ada    | one whole address: --notify end,fail:mail:ADDRESS",
                "--exclusive        | a job has its GPUs to itself, and nobody has the machine",
                "-o out.txt         | a job's log is kept, both streams; berth logs ID prints it",
                "--output=out.txt   | a job's log is kept, both streams; berth logs ID prints it",
                "-A team            | Berth keeps no accounts; --project says what a job belongs to",
            })
    void whatBerthLacksIsSaidWithTheWayOut(String foreign, String sentence) {
        String name = split(foreign).getFirst().replaceFirst("=.*", "");
        assertThat(refusal("submit", "scheduler . train.py " + foreign))
                .startsWith(name + " is no option of Berth's: " + sentence)
                .endsWith(BEHIND)
                .doesNotContain("To give it to your program");
    }

    @Test
    void whatIsThereAndWhatLacksAreToldTogether() {
        assertThat(refusal("submit", "scheduler . train.py -G 1 --exclusive"))
                .isEqualTo(
                        "--exclusive is no option of Berth's: a job has its GPUs to itself, and nobody has the machine;"
                                + " -G is --num-gpus in Berth: berth submit --num-gpus 1 scheduler . train.py"
                                + BEHIND);
    }

    /** The same letters with a value that the other tool would not take. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "python -m train",
                "python -c print(1)",
                "main.py -p 0.5",
                "main.py -n fast",
                "main.py --lr 0.1",
                "main.py -a",
                "main.py -N name"
            })
    void whatMayBeTheProgrammesIsToldWithTheDashes(String program) {
        assertThat(refusal("submit", "scheduler . " + program))
                .contains("To give it to your program: berth submit scheduler . -- ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "squeue        | squeue is not Berth's: berth ps lists the jobs that run and wait",
                "sbatch        | sbatch is not Berth's: berth submit queues a job",
                "sinfo         | sinfo is not Berth's: berth gpus lists the GPUs and who holds them",
                "sacct         | sacct is not Berth's: berth history lists the jobs that are over",
                "scancel       | scancel is not Berth's: berth cancel ID ends a job for good; berth ps lists them",
                "scontrol show | scontrol is not Berth's: berth status ID shows a job",
                "srun          | srun is not Berth's: berth run runs a program here on GPUs that it waits for",
                "nvidia-smi    | nvidia-smi is not Berth's: berth gpus lists the GPUs and who holds them",
                "requeue       | requeue is not Berth's: berth resubmit submits finished jobs again, submit --requeue is for jobs that the machine loses",
                "serve         | serve is not Berth's: berth server start starts the server",
                "server log    | server log is not Berth's: the server's log is server.log in its data directory",
            })
    void aCommandOfAnotherToolIsToldAsBerthCallsIt(String line, String sentence) {
        CommandLineWords words = CommandLineWords.of(split(line));
        assertThatThrownBy(() -> Verbs.of(words.name()))
                .asInstanceOf(InstanceOfAssertFactories.throwable(Failure.class))
                .hasMessageStartingWith(sentence)
                .extracting(Failure::exitCode)
                .isEqualTo(ExitCode.USAGE);
    }

    /** Whatever is typed: none of these is offered. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "server stpo",
                "server sotp",
                "cancle",
                "delet",
                "dlete",
                "server restor",
                "server",
                "server st",
                "token revok",
                "stop",
                "server logs",
                "canel",
                "cancel-all",
                "delete-all",
                "kill"
            })
    void noCommandThatDestroysIsOffered(String typed) {
        assertThatThrownBy(() -> {
                    String _ = CommandLineWords.of(split(typed)).name();
                    throw unknown(CommandLineWords.of(split(typed)).name());
                })
                .isInstanceOf(Failure.class)
                .hasMessageNotContaining("did you mean server stop")
                .hasMessageNotContaining("did you mean server restore")
                .hasMessageNotContaining("did you mean cancel")
                .hasMessageNotContaining("did you mean delete")
                .hasMessageNotContaining("did you mean gpus drain")
                .hasMessageNotContaining("did you mean token revoke");
    }

    private static Failure unknown(String name) {
        try {
            throw new AssertionError(name + " is " + Verbs.of(name));
        } catch (Failure refused) {
            return refused;
        }
    }

    @Test
    void aSlipInACommandThatOnlyShowsIsNamed() {
        assertThatThrownBy(() -> Verbs.of("sumbit")).hasMessageContaining("did you mean submit?");
        assertThatThrownBy(() -> Verbs.of("histroy")).hasMessageContaining("did you mean history?");
        assertThatThrownBy(() -> Verbs.of("server statsu")).hasMessageContaining("did you mean server status?");
    }
}
