package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Each rule holds in the server, and bites where it is broken on purpose: there and nowhere else. */
class ArchitectureTest {
    private static final Architecture SERVER = new Architecture("dev.berth.server", "dev.berth.core");
    private static final Architecture BROKEN =
            new Architecture("dev.berth.violations.server", "dev.berth.violations.core");

    private static final JavaClasses SERVER_CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(SERVER.root(), SERVER.core());

    private static final JavaClasses BROKEN_CLASSES =
            new ClassFileImporter().importPackages(BROKEN.root(), BROKEN.core());

    @Test
    void serverAndCoreAreLookedAtAsAWholeAndWithoutTheirTests() {
        assertThat(SERVER_CLASSES)
                .extracting(JavaClass::getSimpleName)
                .contains("Main", "SchedulingLoop", "DockerContainerEngine", "JobStore", "HttpServer", "JobMachine")
                .doesNotContain("ArchitectureTest", "FakeContainerEngine");
    }

    @Test
    void theRoomsHaveNoCycles() {
        holdsAndBites(Architecture::hasNoCycles, List.of("Slice log", "Slice store"), List.of("Slice loop"));
    }

    @Test
    void theSubpackagesHaveNoCycles() {
        holdsAndBites(
                Architecture::hasNoCyclesOfSubpackages,
                List.of("Slice gpu.nvidia.nvml", "Slice log", "Slice store"),
                List.of("Slice loop"));
    }

    @Test
    void noRoomSeesTheWholeHouse() {
        holdsAndBites(Architecture::noRoomSeesTheWholeHouse, List.of("SeesTooMuch.root"), List.of("SeesTooMuch.http"));
    }

    @Test
    void onlyTheAdapterSeesDockerJava() {
        holdsAndBites(
                Architecture::onlyTheAdapterSeesDockerJava, List.of("Page.docker"), List.of("DockerAdapter.docker"));
    }

    @Test
    void onlyItsTargetSeesTheClientOfKubernetes() {
        holdsAndBites(
                Architecture::onlyItsTargetSeesTheClientOfKubernetes,
                List.of("Page.kubernetes"),
                List.of("ClusterAdapter.kubernetes"));
    }

    @Test
    void onlyTheRootSeesTheAdapter() {
        holdsAndBites(
                Architecture::onlyTheRootSeesTheAdapter,
                List.of("SeesTooMuch.docker", "KnowsTheAdapter.text"),
                List.of("SeesTooMuch.http"));
    }

    @Test
    void onlyWhoHandsGpusOnKnowsTheirVendor() {
        holdsAndBites(
                Architecture::onlyWhoHandsGpusOnKnowsTheirVendor,
                List.of("KnowsTheVendor.driver", "KnowsTheVendor.library"),
                List.of("NvidiaDriver.calls"));
    }

    @Test
    void onlyNvidiaSeesItsLibrary() {
        holdsAndBites(
                Architecture::onlyNvidiaSeesItsLibrary,
                List.of("KnowsTheVendor.library"),
                List.of("KnowsTheVendor.driver", "NvidiaDriver.calls"));
    }

    @Test
    void onlyTheListenersSeeJetty() {
        holdsAndBites(
                Architecture::onlyTheListenersSeeJetty,
                List.of("Page.jetty"),
                List.of("JettyListener.state", "JettyListener$Part"));
    }

    @Test
    void onlyTheStoreSeesTheDatabase() {
        holdsAndBites(
                Architecture::onlyTheStoreSeesTheDatabase, List.of("Page.sqlite", "Page.jdbc"), List.of("Page.jetty"));
    }

    @Test
    void onlyTheEntryPointKnowsTheTime() {
        holdsAndBites(
                Architecture::onlyTheEntryPointKnowsTheTime,
                List.of(
                        "ReadsTheClock.instant",
                        "ReadsTheClock.millis",
                        "ReadsTheClock.nanos",
                        "ReadsTheClock.today",
                        "ReadsTheClock.source",
                        "ReadsTheClock.clock",
                        "ReadsTheClock.sleeps"),
                List.of("ReadsTheClock.prints", "Main.now"));
    }

    @Test
    void onlyTheEntryPointPrints() {
        holdsAndBites(
                Architecture::onlyTheEntryPointPrints,
                List.of("ReadsTheClock.prints", "ReadsTheClock.complains"),
                List.of("ReadsTheClock.clock", "Main.now"));
    }

    @Test
    void theCoreSeesNoServer() {
        holdsAndBites(
                Architecture::theCoreSeesNoServer,
                List.of("KnowsTheServer.writes"),
                List.of("Reads.something()> calls"));
    }

    @Test
    void onlyWhereWorkBeginsIsEverythingCaught() {
        holdsAndBites(
                Architecture::onlyWhereWorkBeginsIsEverythingCaught,
                List.of("CatchesEverything.all", "CatchesEverything.oneOfTwo"),
                List.of("CatchesEverything.oneKind", "CatchesEverything.closes"));
    }

    @Test
    void theLoopSeesNobodyWhoSeesIt() {
        holdsAndBites(
                Architecture::theLoopSeesNobodyWhoSeesIt,
                List.of("SeesTooMuch.http", "SeesTooMuch.docker"),
                List.of("SeesTooMuch.root"));
    }

    private static void holdsAndBites(
            Function<Architecture, ArchRule> rule, List<String> culprits, List<String> innocents) {
        rule.apply(SERVER).check(SERVER_CLASSES);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> rule.apply(BROKEN).check(BROKEN_CLASSES))
                .satisfies(error ->
                        assertThat(error.getMessage()).contains(culprits).doesNotContain(innocents));
    }
}
