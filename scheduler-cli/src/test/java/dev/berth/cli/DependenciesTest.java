package dev.berth.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What may depend on what. Each rule is shown to bite on a class of this test that breaks it. */
class DependenciesTest {
    private static final JavaClasses COMMAND = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.berth.cli");

    private static final ArchRule NO_SERVER =
            noClasses().should().dependOnClassesThat().resideInAPackage("dev.berth.server..");

    private static final ArchRule WIRE_RECORDS_ONLY = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.berth.core.job..", "dev.berth.core.machine..");

    private static final ArchRule SLIM = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.fasterxml.jackson..", "java.math..", "java.net.http..", "java.util.regex..");

    private static final ArchRule NO_CLOCK = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("dev.berth.cli.Main")
            .and()
            .doNotHaveFullyQualifiedName("dev.berth.cli.SystemTime")
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", java.time.Duration.class);

    private static final ArchRule YAML_FOR_SWEEPS = noClasses()
            .that()
            .resideOutsideOfPackage("dev.berth.cli.sweep..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.snakeyaml..")
            .because(
                    "of other commands only submit has the library on its class path, and that only reads job files by it");

    @Test
    void onlyWhatReadsSweepFilesKnowsYaml() {
        YAML_FOR_SWEEPS.check(COMMAND);
        assertBites(YAML_FOR_SWEEPS, ReadsYaml.class);
    }

    @Test
    void theCommandKnowsNothingOfTheServersClasses() {
        NO_SERVER.check(COMMAND);
        assertBites(NO_SERVER, dev.berth.server.PretendedServer.User.class);
    }

    @Test
    void theCommandKnowsTheWireRecordsOnly() {
        WIRE_RECORDS_ONLY.check(COMMAND);
        assertBites(WIRE_RECORDS_ONLY, KnowsAState.class);
    }

    @Test
    void theCommandLoadsNothingSlow() {
        SLIM.check(COMMAND);
        assertBites(SLIM, UsesRegex.class);
    }

    @Test
    void onlyMainAndTheTimeSourceKnowTheTime() {
        NO_CLOCK.check(COMMAND);
        assertBites(NO_CLOCK, ReadsTheClock.class);
        assertBites(NO_CLOCK, Sleeps.class);
    }

    @Test
    void packagesDoNotDependOnEachOtherInCircles() {
        slices().matching("dev.berth.cli.(*)..").should().beFreeOfCycles().check(COMMAND);
    }

    private static void assertBites(ArchRule rule, Class<?> offender) {
        assertThat(rule.evaluate(new ClassFileImporter().importClasses(offender))
                        .hasViolation())
                .as("the rule catches " + offender)
                .isTrue();
    }

    static final class KnowsAState {
        private KnowsAState() {}

        static Object state() {
            return dev.berth.core.job.StateName.QUEUED;
        }
    }

    static final class UsesRegex {
        private UsesRegex() {}

        static Object pattern() {
            return java.util.regex.Pattern.compile("x");
        }
    }

    static final class ReadsYaml {
        private ReadsYaml() {}

        static Object settings() {
            return org.snakeyaml.engine.v2.api.LoadSettings.builder().build();
        }
    }

    static final class ReadsTheClock {
        private ReadsTheClock() {}

        static Object now() {
            return Instant.now();
        }
    }

    static final class Sleeps {
        private Sleeps() {}

        static void sleep() throws InterruptedException {
            Thread.sleep(java.time.Duration.ZERO);
        }
    }
}
