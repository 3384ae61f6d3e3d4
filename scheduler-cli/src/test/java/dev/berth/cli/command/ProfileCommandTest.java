package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.ProfileList;
import dev.berth.core.api.ProfileView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code berth profiles}, and {@code --profile} of a submit. */
class ProfileCommandTest {
    private static final String LIST = "GET /api/v1/profiles";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private static ProfileList list(List<String> problems) {
        ProfileView small = new ProfileView(
                "Small", "", true, "all", null, null, 2_000, 1_500, 8L << 30, 8L << 30, null, null, null, List.of(),
                List.of());
        ProfileView gpus = new ProfileView(
                "GPU Server",
                "a GPU",
                false,
                "yaml",
                1,
                "a100",
                null,
                null,
                32L << 30,
                24L << 30,
                2L << 30,
                "lab/gpu:1",
                "always",
                List.of("MODE"),
                List.of("node_selector"));
        return new ProfileList(List.of(small, gpus), problems, List.of("dask_worker means nothing here"));
    }

    @Test
    void profilesAreListed() {
        stage.server().json(LIST, 200, list(List.of()));
        assertThat(stage.run("profiles")).isZero();
        assertThat(stage.out()).isEqualTo("""
                        NAME         GPUS     CPUS          MEMORY                SHM     IMAGE       DESCRIPTION
                        Small        -        2, 1.5 kept   8 GiB                 -       -
                        GPU Server   1 a100   -             32 GiB, 24 GiB kept   2 GiB   lab/gpu:1   a GPU
                        """);
        assertThat(stage.err()).isEqualTo("dask_worker means nothing here\n");
    }

    @Test
    void programsGetTheAnswerAndScriptsTheNames() {
        ProfileList list = list(List.of("FILE:3: wrong"));
        stage.server().json(LIST, 200, list).json(LIST, 200, list);
        assertThat(stage.run("profiles", "--json")).isZero();
        assertThat(stage.out()).isEqualTo(JsonText.of(list) + "\n");
        assertThat(stage.run("profiles", "-q")).isZero();
        assertThat(stage.out()).endsWith("\nSmall\nGPU Server\n");
        assertThat(stage.err()).endsWith("FILE:3: wrong\n");
    }

    @Test
    void thatThereAreNoneIsSaid() {
        stage.server().json(LIST, 200, new ProfileList(List.of(), List.of("FILE: there is no such file"), List.of()));
        assertThat(stage.run("profiles")).isZero();
        assertThat(stage.out()).isEmpty();
        assertThat(stage.err()).contains("there are no profiles for you", "FILE: there is no such file");
    }

    @Test
    void aProfileGoesWithTheRequestAndItsRefusalIsOfTheOption() throws Exception {
        Path code = Files.createDirectory(stage.directory().resolve("code"));
        Files.writeString(code.resolve("main.py"), "");
        String rule = "is no profile that you may use; did you mean 'GPU Server'? there are 'GPU Server'";
        stage.server()
                .json(
                        "POST /api/v1/jobs?dryRun=true",
                        400,
                        new ApiError(
                                "INVALID_FIELD",
                                "profile: 'GPU Serv' " + rule,
                                Map.of("field", "profile", "value", "GPU Serv", "rule", rule)));
        int code2 = stage.run("submit", "scheduler", code.toString(), "main.py", "--profile", "GPU Serv", "--dry-run");
        assertThat(code2).isEqualTo(ExitCode.USAGE);
        assertThat(stage.server().received().getLast().text()).contains("\"profile\":\"GPU Serv\"");
        assertThat(stage.err()).contains("--profile 'GPU Serv' " + rule);
    }
}
