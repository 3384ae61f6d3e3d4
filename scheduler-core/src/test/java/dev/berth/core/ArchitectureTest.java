package dev.berth.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Each rule holds in the core, and bites where it is broken on purpose. */
class ArchitectureTest {
    private static final Architecture CORE = new Architecture("dev.berth.core");
    private static final Architecture BROKEN = new Architecture("dev.berth.violations");

    private static final JavaClasses CORE_CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(CORE.root());

    private static final JavaClasses BROKEN_CLASSES = new ClassFileImporter().importPackages(BROKEN.root());

    @Test
    void theCoreIsLookedAtAsAWholeAndWithoutItsTests() {
        assertThat(CORE_CLASSES).extracting(type -> type.getSimpleName()).contains("JobMachine", "JobSpec", "JobView");
        assertThat(CORE_CLASSES).extracting(type -> type.getSimpleName()).doesNotContain("ArchitectureTest");
    }

    @Test
    void theCoreDependsOnNothingButJava() {
        holdsAndBites(Architecture::dependsOnNothingButJava, "LeansOnALibrary");
    }

    @Test
    void theCoreReadsNoClock() {
        holdsAndBites(
                Architecture::readsNoClock,
                "ReadsTheClock.instant",
                "ReadsTheClock.millis",
                "ReadsTheClock.nanos",
                "ReadsTheClock.today",
                "ReadsTheClock.source",
                "ReadsTheClock.sleeps");
    }

    @Test
    void theCoreDoesNoInputAndOutput() {
        holdsAndBites(
                Architecture::doesNoInputAndOutput,
                "ReadsAFile.io",
                "ReadsAFile.nio",
                "ReadsAFile.net",
                "ReadsAFile.sql",
                "ReadsAFile.prints");
    }

    @Test
    void theCoreUsesNoChance() {
        holdsAndBites(
                Architecture::usesNoChance,
                "RollsTheDice.math",
                "RollsTheDice.uuid",
                "RollsTheDice.random",
                "RollsTheDice.splittable");
    }

    @Test
    void jobKnowsNoMachine() {
        holdsAndBites(Architecture::jobKnowsNoMachine, "KnowsAMachine");
    }

    @Test
    void apiKnowsNeitherJobNorMachine() {
        holdsAndBites(Architecture::apiKnowsNeither, "KnowsTheInside.job", "KnowsTheInside.machine");
    }

    @Test
    void thePackagesHaveNoCycles() {
        holdsAndBites(Architecture::hasNoCycles, "Slice job", "Slice machine");
    }

    private static void holdsAndBites(Function<Architecture, ArchRule> rule, String... culprits) {
        rule.apply(CORE).check(CORE_CLASSES);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> rule.apply(BROKEN).check(BROKEN_CLASSES))
                .satisfies(error -> assertThat(error.getMessage()).contains(culprits));
    }
}
