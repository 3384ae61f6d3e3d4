package dev.berth.server.store.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The file of a database, as a path and no more: what SQLite puts beside it, whether it is there, and the sentence for
 * what went wrong with it.
 */
public record DatabaseFile(Path path) {
    /** The files that SQLite puts beside a database, by the end of its name. */
    static final List<String> COMPANIONS = List.of("-wal", "-shm", "-journal");

    private static final int PRIMARY = 0xff;

    Path log() {
        return companion("-wal");
    }

    Path companion(String end) {
        return path.resolveSibling(path.getFileName() + end);
    }

    Backups backups() {
        return Backups.beside(path);
    }

    /** Whether there is nothing in its place, or a file without a single byte. */
    public boolean isMissing() {
        try {
            return Files.notExists(path, LinkOption.NOFOLLOW_LINKS)
                    || (Files.isRegularFile(path) && Files.size(path) == 0);
        } catch (IOException e) {
            throw new StoreException("the database " + path + " cannot be seen: " + e, e);
        }
    }

    /** The exception that says what became of {@code what}, and what to do about it. */
    public StoreException failed(String what, SQLException e) {
        return switch (code(e)) {
            case SQLITE_CORRUPT, SQLITE_NOTADB -> broken(said(e), e);
            case SQLITE_FULL ->
                new StoreException(
                        what + ": there is no room left at " + path + " (" + said(e)
                                + "); make some and start the server again, nothing that was accepted is lost",
                        e);
            case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY ->
                new StoreException(
                        what + ": " + path + " cannot be read or written (" + said(e)
                                + "); see to the disk, its room and its rights, and start the server again",
                        e);
            default -> new StoreException(what + ": " + said(e), e);
        };
    }

    /** The exception that says that the file is damaged, which nothing of ours mends. */
    StoreException broken(String why, Throwable cause) {
        return new StoreException(
                "the database " + path + " is broken: " + why + "; it was left as it is. "
                        + backups().wayOut(),
                cause,
                true);
    }

    private static SQLiteErrorCode code(SQLException e) {
        return e instanceof SQLiteException known
                ? SQLiteErrorCode.getErrorCode(known.getResultCode().code & PRIMARY)
                : SQLiteErrorCode.UNKNOWN_ERROR;
    }

    /** The words of SQLite, without the driver's frame around it. */
    static String said(SQLException e) {
        return String.valueOf(e.getMessage());
    }

    /** Whether SQLite found the file to be damaged. */
    static boolean isBroken(SQLException e) {
        SQLiteErrorCode code = code(e);
        return code == SQLiteErrorCode.SQLITE_CORRUPT || code == SQLiteErrorCode.SQLITE_NOTADB;
    }

    /** Closes what could not be used, so that the reason for that is what is told. */
    static void closeQuietly(Connection connection, Exception why) {
        try {
            connection.close();
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }
}
