import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** What the three servers have in common: telling their port, and ending with their parent. */
final class Ready {
    private Ready() {}

    /** Write the port into a file that is either whole or not there, and wait for the end of input. */
    static void until(Path home, int port) throws IOException {
        Path draft = Files.writeString(home.resolve("port.draft"), Integer.toString(port));
        Files.move(draft, home.resolve("port"), StandardCopyOption.ATOMIC_MOVE);
        // Input ends when whoever started this closes it or dies, so no server outlives its tests.
        while (System.in.read() >= 0) {
            continue;
        }
    }
}
