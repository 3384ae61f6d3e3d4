package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The Python package by the machine's own Python: its tests, and both ways in which it is installed. */
@SystemTest
class PythonPackageTest {
    private static final String PYTHON = "/usr/bin/python3";
    private static final Path SOURCES = Product.ROOT.resolve("python");

    /** {@code unittest} over a folder of the package's tests. */
    private static Command tests(String python, String folder) {
        return Command.of(python, "-W", "error::ResourceWarning", "-m", "unittest", "discover", "-s", folder, "-t", ".")
                .behind("env", "-C", SOURCES.toString())
                .with("PYTHONDONTWRITEBYTECODE", "1");
    }

    /** {@code unittest} ends well also where it has found nothing. */
    private static void assertPassed(Ran tests, int least) {
        tests.expect(0);
        String count = tests.err().replaceAll("(?s).*\\nRan (\\d+) tests? in .*", "$1");
        assertThat(Integer.parseInt(count)).as("%s", tests).isGreaterThanOrEqualTo(least);
        assertThat(tests.err()).endsWith("\nOK\n");
    }

    /** Makes a Python of its own and installs the package in it, without an index; answers its program. */
    private static String installed(Path folder, String what) {
        Command.of(PYTHON, "-m", "venv", folder.toString()).run().expect(0);
        String python = folder.resolve("bin/python").toString();
        Command.of(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", what)
                .run()
                .expect(0);
        return python;
    }

    private static Path wheel() {
        List<Path> wheels = TestFiles.tree(Product.DISTRIBUTION.resolve("python")).stream()
                .filter(path -> path.toString().endsWith(".whl"))
                .toList();
        assertThat(wheels).hasSize(1);
        return wheels.getFirst();
    }

    @Test
    void itsTestsThatNeedNoServerPass() {
        assertPassed(tests(PYTHON, "tests/unit").run(), 120);
    }

    @Test
    void theWheelOfTheDistributionWorksWithAServerAndJobsInContainers(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("--simulate-gpus", "4");
            Map<String, String> variables = Map.of(
                    "BERTH_SOCKET", berth.dataDirectory().resolve("berth.sock").toString(),
                    "BERTH_COMMAND", Product.BERTH.toString(),
                    "BERTH_TEST_INSTALLED", "1");
            String python = installed(berth.home().resolve("venv"), wheel().toString());

            assertPassed(tests(python, "tests/server").with(variables).run(), 15);
            assertPassed(tests(python, "tests/tracking").with(variables).run(), 1);
        }
    }

    @Test
    void itIsInstalledFromItsSourcesWithoutAnIndex() {
        Path folder = TestFiles.folder();
        try {
            String python = installed(folder.resolve("venv"), SOURCES.toString());

            Ran version = Command.of(python, "-c", "import berth; print(berth.__version__)")
                    .run();

            assertThat(version.expect(0).text())
                    .isEqualTo(wheel().getFileName().toString().split("-", -1)[1]);
        } finally {
            TestFiles.deleteTree(folder);
        }
    }
}
