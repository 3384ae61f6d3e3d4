package dev.berth.server;

/** Stands for a class of the server, so that a rule against them can be shown to bite. */
public final class PretendedServer {
    private PretendedServer() {}

    /** Breaks the rule. */
    public static final class User {
        private User() {}

        /** The forbidden dependency. */
        public static Class<?> server() {
            return PretendedServer.class;
        }
    }
}
