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
class CoreArchitectureTest {
    private static final CoreArchitecture CORE = new CoreArchitecture("dev.berth.core");
    private static final CoreArchitecture BROKEN = new CoreArchitecture("dev.berth.violations");

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
        holdsAndBites(CoreArchitecture::dependsOnNothingButJava, "LeansOnALibrary");
    }

    @Test
    void theCoreReadsNoClock() {
        holdsAndBites(
                CoreArchitecture::readsNoClock,
                "MachineReadsTheClock.instant",
                "MachineReadsTheClock.millis",
                "MachineReadsTheClock.nanos",
                "MachineReadsTheClock.today",
                "MachineReadsTheClock.source",
                "MachineReadsTheClock.sleeps");
    }

    @Test
    void theCoreDoesNoInputAndOutput() {
        holdsAndBites(
                CoreArchitecture::doesNoInputAndOutput,
                "ReadsAFile.io",
                "ReadsAFile.nio",
                "ReadsAFile.net",
                "ReadsAFile.sql",
                "ReadsAFile.prints");
    }

    @Test
    void theCoreUsesNoChance() {
        holdsAndBites(
                CoreArchitecture::usesNoChance,
                "RollsTheDice.math",
                "RollsTheDice.uuid",
                "RollsTheDice.random",
                "RollsTheDice.splittable");
    }

    @Test
    void jobKnowsNoMachine() {
        holdsAndBites(CoreArchitecture::jobKnowsNoMachine, "KnowsAMachine");
    }

    @Test
    void apiKnowsNeitherJobNorMachine() {
        holdsAndBites(CoreArchitecture::apiKnowsNeither, "KnowsTheInside.job", "KnowsTheInside.machine");
    }

    @Test
    void thePackagesHaveNoCycles() {
        holdsAndBites(CoreArchitecture::hasNoCycles, "Slice job", "Slice machine");
    }

    private static void holdsAndBites(Function<CoreArchitecture, ArchRule> rule, String... culprits) {
        rule.apply(CORE).check(CORE_CLASSES);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> rule.apply(BROKEN).check(BROKEN_CLASSES))
                .satisfies(error -> assertThat(error.getMessage()).contains(culprits));
    }
}
