package dev.berth.cli.fetch;

/**
 * A member of an archive, as its header says.
 *
 * @param name its path, not checked
 * @param type the header's type flag: one of the constants here, or what is not unpacked
 * @param size how many bytes follow
 * @param mode the permissions' bits
 * @param link what a link says, not checked; empty for others
 */
record TarEntry(String name, char type, long size, int mode, String link) {
    static final char FILE = '0';
    static final char LINK = '2';
    static final char DIRECTORY = '5';
}
