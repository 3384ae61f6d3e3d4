package dev.berth.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.time.Clock;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rules that keep the rooms of the server apart.
 *
 * @param root the package of the server: the real one, or that of the classes that break the rules on purpose
 * @param core the package of the core, likewise
 */
record Architecture(String root, String core) {

    private static final Set<String> EVERYTHING =
            Set.of(RuntimeException.class.getName(), Exception.class.getName(), Error.class.getName());

    /** Classes that may catch whatever is thrown; each says there what becomes of it. */
    private static final List<String> CATCH_EVERYTHING = List.of(
            // Where the process, a request or an effect begins: the loop's end, the error handlers.
            "BerthServer",
            "Main",
            "HttpServer",
            "JettyHandler",
            "LeaseResource",
            // Where all background work begins, which must go on, whatever one turn of it met.
            "Attempts",
            // What others' code throws: the engine's through a port, Jetty's, docker-java's, a handle's, a stream's.
            "GpuCleaner",
            "GpuOccupants",
            "JettyExchange",
            "JettyConnections",
            "JettyTls",
            "DockerPull",
            "NativeFunction",
            "Pieces");

    ArchRule hasNoCycles() {
        return slices().matching(root + ".(*)..").should().beFreeOfCycles();
    }

    ArchRule hasNoCyclesOfSubpackages() {
        return slices().matching(root + ".(**)").should().beFreeOfCycles();
    }

    ArchRule noRoomSeesTheWholeHouse() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root)
                .because("the root puts the rooms together, they do not know it");
    }

    ArchRule onlyTheAdapterSeesDockerJava() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".runner.docker.engine..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.github.dockerjava..")
                .because("another engine is another adapter and nothing else");
    }

    ArchRule onlyItsTargetSeesTheClientOfKubernetes() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".runner.kubernetes..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.fabric8..")
                .because("a target is a target to everybody else");
    }

    ArchRule onlyTheRootSeesTheAdapter() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(root, root + ".runner.docker.engine..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".runner.docker.engine..")
                .because("everybody else talks to the port");
    }

    ArchRule onlyWhoHandsGpusOnKnowsTheirVendor() {
        return noClasses()
                .that()
                .resideInAnyPackage(
                        root + ".gpu",
                        root + ".gpu.lock..",
                        root + ".gpu.occupy..",
                        root + ".usage..",
                        root + ".store..",
                        root + ".loop..",
                        root + ".http..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".gpu.nvidia..")
                .because("another vendor is another package beside it and nothing else");
    }

    ArchRule onlyNvidiaSeesItsLibrary() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".gpu.nvidia..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".gpu.nvidia.nvml..")
                .because("a call of it may hang, and its reader bounds each");
    }

    ArchRule onlyTheListenersSeeJetty() {
        String listeners = Pattern.quote(root + ".http.") + "(HttpServer|Jetty\\w+)(\\$.*)?";
        return noClasses()
                .that(not(nameMatching(listeners)))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty..")
                .because("a thin seam keeps it replaceable");
    }

    ArchRule onlyTheStoreSeesTheDatabase() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".store..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.sqlite..")
                .because("nobody else may open the file");
    }

    ArchRule onlyTheEntryPointKnowsTheTime() {
        return noClasses()
                .that(notTheEntryPoint())
                .and()
                .doNotHaveFullyQualifiedName(root + ".time.TimedWait")
                .should()
                .callMethodWhere(target(owner(resideInAPackage("java.time.."))).and(target(name("now"))))
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethodWhere(target(owner(type(Thread.class))).and(target(name("sleep"))))
                .orShould()
                .callMethodWhere(target(owner(type(InstantSource.class))).and(target(nameStartingWith("system"))))
                .orShould()
                .callMethodWhere(target(owner(type(Clock.class))).and(target(nameStartingWith("system"))))
                .because("time is in the hand of the caller that starts the server, and of the tests");
    }

    ArchRule onlyTheEntryPointPrints() {
        return noClasses()
                .that(notTheEntryPoint())
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .because("a server has a log");
    }

    private DescribedPredicate<JavaClass> notTheEntryPoint() {
        return not(resideInAPackage(root).and(nameMatching(".*\\.Main"))).as("other than the entry point");
    }

    ArchRule theCoreSeesNoServer() {
        return noClasses()
                .that()
                .resideInAPackage(core + "..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + "..")
                .because("the shell is around the core");
    }

    ArchRule onlyWhereWorkBeginsIsEverythingCaught() {
        return noClasses()
                .that(not(nameMatching(".*\\.(" + String.join("|", CATCH_EVERYTHING) + ")(\\$.*)?")))
                .should(new ArchCondition<>("catch whatever is thrown") {
                    @Override
                    public void check(JavaClass from, ConditionEvents events) {
                        from.getCodeUnits().stream()
                                .flatMap(unit -> unit.getTryCatchBlocks().stream())
                                .filter(block -> block.getCaughtThrowables().stream()
                                        .anyMatch(caught -> EVERYTHING.contains(caught.getName())))
                                .forEach(block -> events.add(SimpleConditionEvent.satisfied(
                                        from,
                                        block.getOwner().getFullName() + " does " + block.getSourceCodeLocation())));
                    }
                })
                .because("what is caught is named, so that a mistake is not taken for what was expected");
    }

    ArchRule theLoopSeesNobodyWhoSeesIt() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".loop..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(root + ".http..", root + ".runner.docker.engine..")
                .because("it takes inputs and hands effects on, no matter to whom");
    }
}
