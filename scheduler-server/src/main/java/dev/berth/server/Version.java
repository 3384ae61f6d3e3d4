package dev.berth.server;

/** Which Berth this is. */
final class Version {
    private Version() {}

    /** As the build wrote it into the jar's manifest. */
    static String ofThis() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
