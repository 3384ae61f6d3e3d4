package dev.berth.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes: a JDK whose java is a shell script. */
class DoctorProcessTest {
    private static final DoctorFinding FINE = new DoctorFinding("gpus", "ok", "4 GPUs", null, null);
    private static final DoctorFinding BROKEN = new DoctorFinding("way", "failure", "no runtime", "mend it", null);

    @TempDir
    private Path directory;

    private final List<DoctorFinding> told = new ArrayList<>();

    private DoctorView run(String script) throws IOException {
        Path java = directory.resolve("jdk/bin/java");
        Files.createDirectories(directory.resolve("home/lib"));
        Files.createDirectories(directory.resolve("jdk/bin"));
        Files.writeString(java, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        ServerJvm jvm = new ServerJvm(directory.resolve("jdk"), directory.resolve("home"), "");
        return new DoctorProcess(jvm).run(List.of("--gpu-mode=cdi"), told::add);
    }

    private static String said(String json) {
        return "echo '" + json + "'\n";
    }

    @Test
    void findingsAreToldAsTheyComeAndTheWholeAtTheEnd() throws IOException {
        String fine = "{\"check\":\"gpus\",\"verdict\":\"ok\",\"sentence\":\"4 GPUs\",\"mend\":null}";
        String broken = "{\"check\":\"way\",\"verdict\":\"failure\",\"sentence\":\"no runtime\",\"mend\":\"mend it\"}";
        DoctorView view = run("echo \"$*\" > " + directory.resolve("words") + "\n" + said(fine) + said(broken)
                + said("{\"ready\":false,\"sentence\":\"no\",\"findings\":[" + fine + "," + broken + "]}"));
        assertThat(told).containsExactly(FINE, BROKEN);
        assertThat(view).isEqualTo(new DoctorView(false, "no", List.of(FINE, BROKEN)));
        assertThat(directory.resolve("words"))
                .content()
                .contains("dev.berth.server.Main doctor detached=true --gpu-mode=cdi");
    }

    @Test
    void aWrongConfigurationIsTheUsers() {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> run(said("FAILED 2 the configuration is wrong") + said("  more")))
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE))
                .withMessage("the configuration is wrong\n  more");
    }

    @Test
    void anExaminationThatBreaksOffIsNoDiagnosis() {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> run("exit 1"))
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.BERTH_FAILED))
                .withMessage("the examination ended before its end");
    }
}
