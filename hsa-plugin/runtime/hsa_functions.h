/* SPDX-License-Identifier: MIT */
/*
 * Functions of HSA that a tool may replace; made by hsa_functions.py from AMD's headers.
 *   CORE(name, parameters, index)                           CoreApiTable
 *   AMD(name, parameters, index 5.2 to 5.4, index >= 5.6)   AmdExtTable; -1: not there
 */
/* clang-format off */
#define PROBE_HSA_FUNCTIONS(CORE, AMD) \
	CORE(hsa_init, 0, 0) \
	CORE(hsa_shut_down, 0, 1) \
	CORE(hsa_system_get_info, 2, 2) \
	CORE(hsa_system_extension_supported, 4, 3) \
	CORE(hsa_system_get_extension_table, 4, 4) \
	CORE(hsa_iterate_agents, 2, 5) \
	CORE(hsa_agent_get_info, 3, 6) \
	CORE(hsa_queue_create, 8, 7) \
	CORE(hsa_soft_queue_create, 6, 8) \
	CORE(hsa_queue_destroy, 1, 9) \
	CORE(hsa_queue_inactivate, 1, 10) \
	CORE(hsa_queue_load_read_index_scacquire, 1, 11) \
	CORE(hsa_queue_load_read_index_relaxed, 1, 12) \
	CORE(hsa_queue_load_write_index_scacquire, 1, 13) \
	CORE(hsa_queue_load_write_index_relaxed, 1, 14) \
	CORE(hsa_queue_store_write_index_relaxed, 2, 15) \
	CORE(hsa_queue_store_write_index_screlease, 2, 16) \
	CORE(hsa_queue_cas_write_index_scacq_screl, 3, 17) \
	CORE(hsa_queue_cas_write_index_scacquire, 3, 18) \
	CORE(hsa_queue_cas_write_index_relaxed, 3, 19) \
	CORE(hsa_queue_cas_write_index_screlease, 3, 20) \
	CORE(hsa_queue_add_write_index_scacq_screl, 2, 21) \
	CORE(hsa_queue_add_write_index_scacquire, 2, 22) \
	CORE(hsa_queue_add_write_index_relaxed, 2, 23) \
	CORE(hsa_queue_add_write_index_screlease, 2, 24) \
	CORE(hsa_queue_store_read_index_relaxed, 2, 25) \
	CORE(hsa_queue_store_read_index_screlease, 2, 26) \
	CORE(hsa_agent_iterate_regions, 3, 27) \
	CORE(hsa_region_get_info, 3, 28) \
	CORE(hsa_agent_get_exception_policies, 3, 29) \
	CORE(hsa_agent_extension_supported, 5, 30) \
	CORE(hsa_memory_register, 2, 31) \
	CORE(hsa_memory_deregister, 2, 32) \
	CORE(hsa_memory_allocate, 3, 33) \
	CORE(hsa_memory_free, 1, 34) \
	CORE(hsa_memory_copy, 3, 35) \
	CORE(hsa_memory_assign_agent, 3, 36) \
	CORE(hsa_signal_create, 4, 37) \
	CORE(hsa_signal_destroy, 1, 38) \
	CORE(hsa_signal_load_relaxed, 1, 39) \
	CORE(hsa_signal_load_scacquire, 1, 40) \
	CORE(hsa_signal_store_relaxed, 2, 41) \
	CORE(hsa_signal_store_screlease, 2, 42) \
	CORE(hsa_signal_wait_relaxed, 5, 43) \
	CORE(hsa_signal_wait_scacquire, 5, 44) \
	CORE(hsa_signal_and_relaxed, 2, 45) \
	CORE(hsa_signal_and_scacquire, 2, 46) \
	CORE(hsa_signal_and_screlease, 2, 47) \
	CORE(hsa_signal_and_scacq_screl, 2, 48) \
	CORE(hsa_signal_or_relaxed, 2, 49) \
	CORE(hsa_signal_or_scacquire, 2, 50) \
	CORE(hsa_signal_or_screlease, 2, 51) \
	CORE(hsa_signal_or_scacq_screl, 2, 52) \
	CORE(hsa_signal_xor_relaxed, 2, 53) \
	CORE(hsa_signal_xor_scacquire, 2, 54) \
	CORE(hsa_signal_xor_screlease, 2, 55) \
	CORE(hsa_signal_xor_scacq_screl, 2, 56) \
	CORE(hsa_signal_exchange_relaxed, 2, 57) \
	CORE(hsa_signal_exchange_scacquire, 2, 58) \
	CORE(hsa_signal_exchange_screlease, 2, 59) \
	CORE(hsa_signal_exchange_scacq_screl, 2, 60) \
	CORE(hsa_signal_add_relaxed, 2, 61) \
	CORE(hsa_signal_add_scacquire, 2, 62) \
	CORE(hsa_signal_add_screlease, 2, 63) \
	CORE(hsa_signal_add_scacq_screl, 2, 64) \
	CORE(hsa_signal_subtract_relaxed, 2, 65) \
	CORE(hsa_signal_subtract_scacquire, 2, 66) \
	CORE(hsa_signal_subtract_screlease, 2, 67) \
	CORE(hsa_signal_subtract_scacq_screl, 2, 68) \
	CORE(hsa_signal_cas_relaxed, 3, 69) \
	CORE(hsa_signal_cas_scacquire, 3, 70) \
	CORE(hsa_signal_cas_screlease, 3, 71) \
	CORE(hsa_signal_cas_scacq_screl, 3, 72) \
	CORE(hsa_isa_from_name, 2, 73) \
	CORE(hsa_isa_get_info, 4, 74) \
	CORE(hsa_isa_compatible, 3, 75) \
	CORE(hsa_code_object_serialize, 6, 76) \
	CORE(hsa_code_object_deserialize, 4, 77) \
	CORE(hsa_code_object_destroy, 1, 78) \
	CORE(hsa_code_object_get_info, 3, 79) \
	CORE(hsa_code_object_get_symbol, 3, 80) \
	CORE(hsa_code_symbol_get_info, 3, 81) \
	CORE(hsa_code_object_iterate_symbols, 3, 82) \
	CORE(hsa_executable_create, 4, 83) \
	CORE(hsa_executable_destroy, 1, 84) \
	CORE(hsa_executable_load_code_object, 4, 85) \
	CORE(hsa_executable_freeze, 2, 86) \
	CORE(hsa_executable_get_info, 3, 87) \
	CORE(hsa_executable_global_variable_define, 3, 88) \
	CORE(hsa_executable_agent_global_variable_define, 4, 89) \
	CORE(hsa_executable_readonly_variable_define, 4, 90) \
	CORE(hsa_executable_validate, 2, 91) \
	CORE(hsa_executable_get_symbol, 6, 92) \
	CORE(hsa_executable_symbol_get_info, 3, 93) \
	CORE(hsa_executable_iterate_symbols, 3, 94) \
	CORE(hsa_status_string, 2, 95) \
	CORE(hsa_extension_get_name, 2, 96) \
	CORE(hsa_system_major_extension_supported, 4, 97) \
	CORE(hsa_system_get_major_extension_table, 4, 98) \
	CORE(hsa_agent_major_extension_supported, 5, 99) \
	CORE(hsa_cache_get_info, 3, 100) \
	CORE(hsa_agent_iterate_caches, 3, 101) \
	CORE(hsa_signal_silent_store_relaxed, 2, 102) \
	CORE(hsa_signal_silent_store_screlease, 2, 103) \
	CORE(hsa_signal_group_create, 5, 104) \
	CORE(hsa_signal_group_destroy, 1, 105) \
	CORE(hsa_signal_group_wait_any_scacquire, 6, 106) \
	CORE(hsa_signal_group_wait_any_relaxed, 6, 107) \
	CORE(hsa_agent_iterate_isas, 3, 108) \
	CORE(hsa_isa_get_info_alt, 3, 109) \
	CORE(hsa_isa_get_exception_policies, 3, 110) \
	CORE(hsa_isa_get_round_method, 4, 111) \
	CORE(hsa_wavefront_get_info, 3, 112) \
	CORE(hsa_isa_iterate_wavefronts, 3, 113) \
	CORE(hsa_code_object_get_symbol_from_name, 4, 114) \
	CORE(hsa_code_object_reader_create_from_file, 2, 115) \
	CORE(hsa_code_object_reader_create_from_memory, 3, 116) \
	CORE(hsa_code_object_reader_destroy, 1, 117) \
	CORE(hsa_executable_create_alt, 4, 118) \
	CORE(hsa_executable_load_program_code_object, 4, 119) \
	CORE(hsa_executable_load_agent_code_object, 5, 120) \
	CORE(hsa_executable_validate_alt, 3, 121) \
	CORE(hsa_executable_get_symbol_by_name, 4, 122) \
	CORE(hsa_executable_iterate_agent_symbols, 4, 123) \
	CORE(hsa_executable_iterate_program_symbols, 3, 124) \
	AMD(hsa_amd_coherency_get_type, 2, 0, 0) \
	AMD(hsa_amd_coherency_set_type, 2, 1, 1) \
	AMD(hsa_amd_profiling_set_profiler_enabled, 2, 2, 2) \
	AMD(hsa_amd_profiling_async_copy_enable, 1, 3, 3) \
	AMD(hsa_amd_profiling_get_dispatch_time, 3, 4, 4) \
	AMD(hsa_amd_profiling_get_async_copy_time, 2, 5, 5) \
	AMD(hsa_amd_profiling_convert_tick_to_system_domain, 3, 6, 6) \
	AMD(hsa_amd_signal_async_handler, 5, 7, 7) \
	AMD(hsa_amd_async_function, 2, 8, 8) \
	AMD(hsa_amd_signal_wait_any, 7, 9, 9) \
	AMD(hsa_amd_queue_cu_set_mask, 3, 10, 10) \
	AMD(hsa_amd_memory_pool_get_info, 3, 11, 11) \
	AMD(hsa_amd_agent_iterate_memory_pools, 3, 12, 12) \
	AMD(hsa_amd_memory_pool_allocate, 4, 13, 13) \
	AMD(hsa_amd_memory_pool_free, 1, 14, 14) \
	AMD(hsa_amd_memory_async_copy, 8, 15, 15) \
	AMD(hsa_amd_memory_async_copy_on_engine, 10, -1, 16) \
	AMD(hsa_amd_memory_copy_engine_status, 3, -1, 17) \
	AMD(hsa_amd_agent_memory_pool_get_info, 4, 16, 18) \
	AMD(hsa_amd_agents_allow_access, 4, 17, 19) \
	AMD(hsa_amd_memory_pool_can_migrate, 3, 18, 20) \
	AMD(hsa_amd_memory_migrate, 3, 19, 21) \
	AMD(hsa_amd_memory_lock, 5, 20, 22) \
	AMD(hsa_amd_memory_unlock, 1, 21, 23) \
	AMD(hsa_amd_memory_fill, 3, 22, 24) \
	AMD(hsa_amd_interop_map_buffer, 8, 23, 25) \
	AMD(hsa_amd_interop_unmap_buffer, 1, 24, 26) \
	AMD(hsa_amd_image_create, 6, 25, 27) \
	AMD(hsa_amd_pointer_info, 5, 26, 28) \
	AMD(hsa_amd_pointer_info_set_userdata, 2, 27, 29) \
	AMD(hsa_amd_ipc_memory_create, 3, 28, 30) \
	AMD(hsa_amd_ipc_memory_attach, 5, 29, 31) \
	AMD(hsa_amd_ipc_memory_detach, 1, 30, 32) \
	AMD(hsa_amd_signal_create, 5, 31, 33) \
	AMD(hsa_amd_ipc_signal_create, 2, 32, 34) \
	AMD(hsa_amd_ipc_signal_attach, 2, 33, 35) \
	AMD(hsa_amd_register_system_event_handler, 2, 34, 36) \
	AMD(hsa_amd_queue_intercept_create, 8, 35, 37) \
	AMD(hsa_amd_queue_intercept_register, 3, 36, 38) \
	AMD(hsa_amd_queue_set_priority, 2, 37, 39) \
	AMD(hsa_amd_memory_async_copy_rect, 10, 38, 40) \
	AMD(hsa_amd_runtime_queue_create_register, 2, 39, 41) \
	AMD(hsa_amd_memory_lock_to_pool, 7, 40, 42) \
	AMD(hsa_amd_register_deallocation_callback, 3, 41, 43) \
	AMD(hsa_amd_deregister_deallocation_callback, 2, 42, 44) \
	AMD(hsa_amd_signal_value_pointer, 2, 43, 45) \
	AMD(hsa_amd_svm_attributes_set, 4, 44, 46) \
	AMD(hsa_amd_svm_attributes_get, 4, 45, 47) \
	AMD(hsa_amd_svm_prefetch_async, 6, 46, 48) \
	AMD(hsa_amd_spm_acquire, 1, -1, 49) \
	AMD(hsa_amd_spm_release, 1, -1, 50) \
	AMD(hsa_amd_spm_set_dest_buffer, 6, -1, 51) \
	AMD(hsa_amd_queue_cu_get_mask, 3, 47, 52) \
	AMD(hsa_amd_portable_export_dmabuf, 4, -1, 53) \
	AMD(hsa_amd_portable_close_dmabuf, 1, -1, 54) \
	AMD(hsa_amd_vmem_address_reserve, 4, -1, 55) \
	AMD(hsa_amd_vmem_address_free, 2, -1, 56) \
	AMD(hsa_amd_vmem_handle_create, 5, -1, 57) \
	AMD(hsa_amd_vmem_handle_release, 1, -1, 58) \
	AMD(hsa_amd_vmem_map, 5, -1, 59) \
	AMD(hsa_amd_vmem_unmap, 2, -1, 60) \
	AMD(hsa_amd_vmem_set_access, 4, -1, 61) \
	AMD(hsa_amd_vmem_get_access, 3, -1, 62) \
	AMD(hsa_amd_vmem_export_shareable_handle, 3, -1, 63) \
	AMD(hsa_amd_vmem_import_shareable_handle, 2, -1, 64) \
	AMD(hsa_amd_vmem_retain_alloc_handle, 2, -1, 65) \
	AMD(hsa_amd_vmem_get_alloc_properties_from_handle, 3, -1, 66) \
	AMD(hsa_amd_agent_set_async_scratch_limit, 2, -1, 67) \
	AMD(hsa_amd_queue_get_info, 3, -1, 68) \
	AMD(hsa_amd_vmem_address_reserve_align, 5, -1, 69) \
	AMD(hsa_amd_enable_logging, 2, -1, 70) \
	AMD(hsa_amd_signal_wait_all, 7, -1, 71) \
	AMD(hsa_amd_memory_get_preferred_copy_engine, 3, -1, 72) \
	AMD(hsa_amd_portable_export_dmabuf_v2, 5, -1, 73) \
	AMD(hsa_amd_ais_file_write, 6, -1, 74) \
	AMD(hsa_amd_ais_file_read, 6, -1, 75)
/* clang-format on */
