package dev.berth.server.simulation;

import java.util.Set;
import java.util.SplittableRandom;

/** What goes wrong with the next call of the engine. */
final class Weather {
    enum Fault {
        NONE,
        /** The call waits, and is then carried out as if nothing had been. */
        HANGS_BEFORE,
        /** The engine has done it, and its answer waits. */
        HANGS_AFTER,
        /** The request never arrives. */
        REQUEST_LOST,
        /** The engine has done it, and its answer never arrives. */
        ANSWER_LOST,
        /** The caller's patience ends, and the engine does it later. */
        DONE_LATER,
        /** The engine has done it, and is killed before it has written that down. */
        FORGOTTEN,
        /** The server is killed with it. */
        FORGOTTEN_WITH_SERVER,
        /** What starts programs for the engine dies behind it, so that it takes it for failed, and says so. */
        UNCLEAR,
        /** The server is killed before it hears that. */
        UNCLEAR_WITH_SERVER,
        /** The engine answers 500 and has done nothing. */
        REFUSED,
        /** The engine answers 500 although it has done it. */
        REFUSED_YET_DONE,
        CRASH_BEFORE,
        CRASH_AFTER,
        /** The server ends while the engine is at it. */
        CRASH_MEANWHILE
    }

    private static final Fault[] STORM = {
        Fault.REQUEST_LOST,
        Fault.REQUEST_LOST,
        Fault.ANSWER_LOST,
        Fault.ANSWER_LOST,
        Fault.DONE_LATER,
        Fault.FORGOTTEN,
        Fault.UNCLEAR,
        Fault.REFUSED,
        Fault.REFUSED_YET_DONE,
        Fault.HANGS_BEFORE,
        Fault.HANGS_AFTER
    };
    private static final Fault[] CRASHES = {
        Fault.CRASH_BEFORE,
        Fault.CRASH_AFTER,
        Fault.CRASH_MEANWHILE,
        Fault.FORGOTTEN_WITH_SERVER,
        Fault.UNCLEAR_WITH_SERVER
    };

    /** What makes a start doubtful: storms alone meet a start too seldom. */
    private static final Fault[] DOUBTFUL = {
        Fault.FORGOTTEN, Fault.FORGOTTEN_WITH_SERVER, Fault.UNCLEAR, Fault.UNCLEAR_WITH_SERVER, Fault.REFUSED_YET_DONE
    };

    /** One start in so many, in a storm or not. */
    private static final int DOUBTS = 6;

    /** The verbs that change something at the engine's: others have nothing that could be done later. */
    private static final Set<String> ACTS = Set.of("pull", "create", "start", "stop", "signal", "remove");

    /** A start that is refused ends its job for good: that is to stay rare. */
    private static final int REFUSALS = 4;

    private static final int HANGS_IN_CALM = 8;

    private final SplittableRandom random;
    private int mercy;
    private boolean crashes;
    private boolean away;
    private boolean over;
    private boolean still;

    Weather(SplittableRandom random) {
        this.random = random;
    }

    /** From now on one call in so many goes wrong. */
    void storm(int oneIn, boolean withCrashes) {
        mercy = oneIn;
        crashes = withCrashes;
    }

    void calm() {
        mercy = 0;
        crashes = false;
    }

    /** From now on nothing goes wrong any more. */
    void end() {
        calm();
        over = true;
    }

    /** For the time being nothing goes wrong, or hangs, with an engine that is there. */
    void still(boolean isStill) {
        still = isStill;
    }

    boolean isStill() {
        return still;
    }

    /** No call gets an answer any more, or all do again. */
    void away(boolean isAway) {
        away = isAway;
    }

    boolean isAway() {
        return away;
    }

    Fault next(String verb) {
        if (away) {
            return Fault.REQUEST_LOST;
        }
        if (still) {
            return Fault.NONE;
        }
        if (verb.equals("start") && !over && random.nextInt(DOUBTS) == 0) {
            return DOUBTFUL[random.nextInt(DOUBTFUL.length)];
        }
        if (mercy == 0 || random.nextInt(mercy) != 0) {
            return random.nextInt(HANGS_IN_CALM) == 0 ? Fault.HANGS_BEFORE : Fault.NONE;
        }
        Fault[] kinds = crashes ? CRASHES : STORM;
        Fault fault = kinds[random.nextInt(kinds.length)];
        boolean refusal = fault == Fault.REFUSED || fault == Fault.REFUSED_YET_DONE;
        boolean isAsItMay = verb.equals("start") && fault == Fault.REFUSED_YET_DONE;
        if (refusal && !isAsItMay && random.nextInt(REFUSALS) != 0) {
            return Fault.REQUEST_LOST;
        }
        if (!verb.equals("start")) {
            // Of all that it does the engine writes only this down afterwards.
            fault = switch (fault) {
                case FORGOTTEN, UNCLEAR -> Fault.REQUEST_LOST;
                case FORGOTTEN_WITH_SERVER, UNCLEAR_WITH_SERVER -> Fault.CRASH_BEFORE;
                default -> fault;
            };
        }
        return ACTS.contains(verb) ? fault : ofQuestion(fault);
    }

    /** A question that is not answered has no other effect. */
    private static Fault ofQuestion(Fault fault) {
        return switch (fault) {
            case DONE_LATER, ANSWER_LOST -> Fault.REQUEST_LOST;
            case REFUSED_YET_DONE -> Fault.REFUSED;
            case CRASH_MEANWHILE -> Fault.CRASH_BEFORE;
            default -> fault;
        };
    }
}
