<?php
/**
 * Plugin Name: Related documents
 * Description: Shows the versions and neighbours of a post below it, by es-simhash.
 * Version: 0.1.0
 * License: Apache-2.0
 *
 * Posts are indexed by their ids, as in: {"_id": "42", "title": "…", "text": "…", "date": "…", "url": "…"}
 */

defined('ABSPATH') || exit;

// Address of `es-simhash serve`, as browsers reach it; wp-config.php may name another.
defined('RELATED_DOCUMENTS_URL') || define('RELATED_DOCUMENTS_URL', 'http://127.0.0.1:8000');

add_action('wp_enqueue_scripts', function () {
    if (is_singular('post')) {
        $script = RELATED_DOCUMENTS_URL . '/widget/related-documents.js';
        wp_enqueue_script('related-documents', $script, [], null, ['strategy' => 'defer']);
    }
});

add_filter('the_content', function ($content) {
    if (!is_singular('post') || !in_the_loop() || !is_main_query()) {
        return $content;
    }
    return $content . sprintf(
        '<related-documents src="%s" document-id="%s" lang="%s"></related-documents>',
        esc_url(RELATED_DOCUMENTS_URL),
        esc_attr(get_the_ID()),
        esc_attr(get_bloginfo('language'))
    );
});
