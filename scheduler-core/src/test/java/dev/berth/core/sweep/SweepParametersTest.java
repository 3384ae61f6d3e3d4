package dev.berth.core.sweep;

import static dev.berth.core.sweep.Values.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.TaskParameters;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepParametersTest {
    private static final SweepValue PLAIN = map(
            "name", "plain", "path", "out", "repetitions", 1, "params", map("z", 1, "on", true, "l", List.of(1, "x")));
    private static final SweepValue GRID = map(
            "name",
            "exp",
            "path",
            "out",
            "repetitions",
            2,
            "params",
            map("net", map("lr", 0.1), "z", 1),
            "grid",
            map("a", List.of(1, "1e-3"), "net", map("bs", List.of(8))));

    private static Parameters of(SweepValue... documents) {
        return SweepParameters.of(Values.runs(documents));
    }

    @Test
    void aTaskHasTheParametersOfItsRun() {
        Parameters parameters = of(GRID);
        assertThat(parameters.count()).isEqualTo(4);
        assertThat(parameters.blocks())
                .as("all that is constant stands there once")
                .hasSize(1);
        assertThat(parameters.json(3))
                .isEqualTo(
                        "{\"net\":{\"lr\":0.1,\"bs\":8},\"z\":1,\"a\":\"1e-3\",\"sweep\":{\"experiment\":\"exp\",\"name\":"
                                + "\"exp__a1e-3_net.b8\",\"directory\":\"out/exp/exp__a1e-3_net.b8/log/rep_01\",\"repetition\":1}}");
        assertThat(new TaskParameters(parameters, 3).shown().toString())
                .isEqualTo("{net.bs=8, a=1e-3, sweep.experiment=exp, sweep.repetition=1}");
    }

    @Test
    void experimentsFollowOneAnother() {
        Parameters parameters = of(PLAIN, GRID);
        assertThat(parameters.count()).isEqualTo(5);
        assertThat(parameters.json(0))
                .startsWith("{\"z\":1,\"on\":true,\"l\":[1,\"x\"],\"sweep\":{\"experiment\":\"plain\"");
        assertThat(parameters.common()).contains("z", "sweep.name").doesNotContain("a", "l");
    }

    @Test
    void aPartHasTheSetsOfItsIndicesAndNamesWhatTheWholeNames() {
        Parameters all = of(GRID, PLAIN);
        for (int first = 0; first < all.count(); first++) {
            for (int last = first; last < all.count(); last++) {
                Parameters part = SweepParameters.part(all, first, last);
                assertThat(part.count()).isEqualTo(last + 1);
                assertThat(part.common()).containsAll(all.common());
                for (int index = first; index <= last; index++) {
                    assertThat(part.all(index)).isEqualTo(all.all(index));
                    assertThat(new TaskParameters(part, index).shown())
                            .isEqualTo(new TaskParameters(all, index).shown());
                }
            }
        }
        assertThat(SweepParameters.part(of(GRID), 2, 3).varied()).containsExactlyElementsOf(of(GRID).varied());
    }

    @Test
    void eachRunIsTheTaskOfItsNumber() {
        List<SweepRun> runs = Values.runs(GRID, PLAIN);
        Parameters parameters = SweepParameters.of(runs);
        for (SweepRun run : runs) {
            assertThat(parameters.all(run.number()))
                    .hasEntrySatisfying(
                            "sweep.directory", value -> assertThat(value.text()).isEqualTo(run.directory()));
        }
    }

    private static void refused(SweepValue params, String rule) {
        assertThatExceptionOfType(SweepRefusal.class)
                .isThrownBy(() -> of(map("name", "exp", "path", "out", "repetitions", 1, "params", params)))
                .satisfies(refusal -> assertThat(refusal.sentence())
                        .startsWith("sweep.yml:1: ")
                        .contains(rule));
    }

    @Test
    void whatNoTaskCanBearIsRefusedWithItsPlace() {
        refused(map("a.b", 1), "the parameter a.b of");
        refused(map("1st", 1), "cannot be a variable: names are letters, digits, _ and -");
        refused(map("a-b", 1, "a_b", 2), "has the same variable as a-b");
        refused(map("sweep", map("name", 1)), "sweep is what tasks learn of their run itself");
        refused(map("x".repeat(65), 1), "at most 64 long");
    }
}
