package dev.berth.cli.jobfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.option.JobOption;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What options of {@code sbatch} mean, and that the table of a job's options says the same. */
class SbatchOptionsTest {
    private final SbatchOptions sbatch = new SbatchOptions();

    @ParameterizedTest
    @EnumSource(JobOption.class)
    void theTableOfOptionsHasTheWordsThatAreTranslated(JobOption option) {
        List<String> words = option.names().stream()
                .flatMap(name -> sbatch.namesFor(name).stream())
                .distinct()
                .toList();
        assertThat(words).containsExactlyInAnyOrderElementsOf(option.elsewhere().slurm());
    }

    @Test
    void eachOptionHasOneLongName() {
        assertThat(sbatch.names().stream().map(sbatch::longName)).allMatch(name -> name.startsWith("--"));
        assertThat(sbatch.longName("-n")).isEqualTo("--ntasks");
        assertThat(sbatch.longName("--gpus-per-node")).isEqualTo("--gpus-per-node");
    }

    @ParameterizedTest
    @CsvSource({
        "--gres, gpu, --num-gpus 1",
        "--gres, gpu:2, --num-gpus 2",
        "--gres, gpu:a100, --num-gpus 1 --gpu-type a100",
        "--gres, gpu:a100:2, --num-gpus 2 --gpu-type a100",
        "-G, 3, --num-gpus 3",
        "--gpus, a100:3, --num-gpus 3 --gpu-type a100",
        "--mem, 16, --memory 16m",
        "--mem, 16G, --memory 16G",
        "--mem, 16GB, --memory 16G",
        "--mem, 500mb, --memory 500m",
        "--time, 90, --time 90m",
        "-t, 90:30, --time 90m30s",
        "--time, 2:00:00, --time 2h00m00s",
        "--time, 1-12, --time 1d12h",
        "--time, 1-12:30, --time 1d12h30m",
        "--time, 1-12:30:10, --time 1d12h30m10s",
        "--array, 0-31%4, --array 0-31%4",
        "--dependency, afterok:17, --dependency afterok:17",
        "--kill-on-invalid-dep, no, --keep-waiting",
        "--begin, now+1hour, --begin +1h",
        "--begin, now+90, --begin +90s",
        "--begin, 16:00, --begin 16:00",
        "--export, A=1, -e A=1",
        "--export, 'ALL,A=1', -e A=1",
        "--export, 'A=1,B=2', -e A=1 -e B=2",
        "--export, 'NONE,A=1,B=,C=x=y', -e A=1 -e B= -e C=x=y",
        "--cpus-per-task, 8, --cpus 8",
        "--signal, B:USR1@300, --signal USR1@300s",
        "--signal, B:SIGTERM, --signal TERM@60s",
        "--signal, B:10@5, --signal 10@5s",
    })
    void valuesHaveTheUnitsOfSlurm(String name, String value, String own) {
        assertThat(sbatch.meaning(name, value)).isEqualTo(new SbatchOptions.Meaning(List.of(own.split(" ")), ""));
    }

    @ParameterizedTest
    @CsvSource({
        "--nodes,1",
        "-N,1-1",
        "--ntasks,1",
        "--time,UNLIMITED",
        "--time,unlimited",
        "-t,Infinite",
        "-t,0",
        "--mem,0",
        "--mem,0GB",
        "--output,%j.out",
        "--export,ALL"
    })
    void whatOneMachineHasAnywayMeansNothing(String name, String value) {
        SbatchOptions.Meaning meaning = Objects.requireNonNull(sbatch.meaning(name, value));
        assertThat(meaning.isNothing()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "--nodes,2",
        "-n,4",
        "--gres,mps:50",
        "--mem-per-cpu,4G",
        "--chdir,/data",
        "--signal,USR1@60",
        "--signal,R:USR1@60"
    })
    void whatMattersAndCannotBeHadIsRefused(String name, String value) {
        SbatchOptions.Meaning meaning = Objects.requireNonNull(sbatch.meaning(name, value));
        assertThat(meaning.refusal()).isNotEmpty();
    }

    @Test
    void aValueOfNoFormHasNoMeaning() {
        assertThat(sbatch.meaning("--time", "soon")).isNull();
        assertThat(sbatch.meaning("--requeue", "x")).isNull();
        assertThat(sbatch.meaning("--mem", null)).isNull();
    }
}
