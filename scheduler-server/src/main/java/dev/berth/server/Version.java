package dev.berth.server;

/** The version of this Berth. */
final class Version {
    private Version() {}

    /** As the build wrote it into the jar's manifest. */
    static String ofThis() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
