import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.rankeval.RankEvalPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch from the jars of Maven Central: arguments HOME PORT, 0 for a free port. */
public final class Server extends Node {
    private Server(Settings settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "engine"),
            List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, RankEvalPlugin.class),
            false);
    }

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Settings settings = Settings.builder()
            .put("path.home", home)
            .put("node.name", "engine")
            .put("discovery.type", "single-node")
            .put("http.host", "127.0.0.1")
            .put("http.port", arguments[1])
            .put("transport.host", "127.0.0.1")
            .put("transport.port", "0")
            // A disk that is nearly full is no reason to refuse a few megabytes.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        try (Server node = new Server(settings)) {
            node.start();
            HttpServerTransport http = node.injector().getInstance(HttpServerTransport.class);
            Ready.until(home, http.boundAddress().publishAddress().getPort());
        }
    }
}
