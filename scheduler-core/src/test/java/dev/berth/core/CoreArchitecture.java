package dev.berth.core;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The rules that keep the core pure and its arrows in one direction.
 *
 * @param root the package they are held against: the core, or the classes that break them on purpose
 */
record CoreArchitecture(String root) {

    ArchRule dependsOnNothingButJava() {
        return noClasses()
                .that()
                .resideInAPackage(root + "..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("java..", "org.jspecify..", root + "..")
                .because("the core is plain Java");
    }

    ArchRule readsNoClock() {
        return noClasses()
                .that()
                .resideInAPackage(root + "..")
                .should()
                .callMethodWhere(target(owner(resideInAPackage("java.time.."))).and(target(name("now"))))
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethodWhere(target(owner(type(Thread.class))).and(target(name("sleep"))))
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(InstantSource.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .because("time comes in with the input");
    }

    ArchRule doesNoInputAndOutput() {
        return noClasses()
                .that()
                .resideInAPackage(root + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.io..", "java.nio..", "java.net..", "java.sql..")
                .because("effects are data, and somebody else carries them out");
    }

    ArchRule usesNoChance() {
        return noClasses()
                .that()
                .resideInAPackage(root + "..")
                .and()
                .resideOutsideOfPackage(root + ".parameter")
                .should()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(RandomGenerator.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Random.class)
                .because("the same state and input give the same step; the draws of a sweep are those of its seed");
    }

    ArchRule jobKnowsNoMachine() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".job..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".machine..")
                .because("values decide nothing");
    }

    ArchRule apiKnowsNeither() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".api..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(root + ".job..", root + ".machine..")
                .because("what travels stays as it is when the inside changes");
    }

    ArchRule hasNoCycles() {
        return slices().matching(root + ".(*)..").should().beFreeOfCycles();
    }
}
